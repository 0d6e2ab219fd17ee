import { describe, expect, it } from "vitest";
import { chartsOf, current, linePath, nearest, roundTop, runsOf } from "./charts";

it("keeps lines that were measured and says nothing for the rest", () => {
  const line = (metric: string, unit: string, title: string, values: (number | null)[]) => ({
    subject: title,
    title,
    metric,
    unit,
    values,
  });
  const telemetry = {
    step_s: 15,
    times: [0, 15_000],
    series: [
      line("gpu_utilisation", "percent", "0", [1, null]),
      line("gpu_utilisation", "percent", "1", [null, null]),
      line("gpu_memory", "mebibytes", "0", [900, 1000]),
      line("power", "watts", "0", [null, null]),
      line("cpu", "milli", "0", [0, 1]),
    ],
  };

  const charts = chartsOf(telemetry, ["gpu_utilisation", "gpu_memory", "power", "cpu"]);

  expect(charts.map(({ metric, top, lines }) => [metric, top, lines.length])).toEqual([
    ["gpu_utilisation", 100, 1],
    ["gpu_memory", 1536, 1],
    ["power", 1, 0],
    ["cpu", 100, 1],
  ]);
});

describe("roundTop", () => {
  it("is round and never below the largest value", () => {
    expect([0, 1, 7, 42, 100, 101, 730].map((most) => roundTop(most))).toEqual([
      1, 1, 7.5, 50, 100, 150, 750,
    ]);
  });
  it("counts memory in powers of two", () => {
    expect([1, 900, 1024, 30000].map((most) => roundTop(most, 2))).toEqual([1, 1024, 1024, 32768]);
  });
});

describe("linePath", () => {
  it("draws a line from the bottom to the top", () => {
    expect(linePath([0, 50, 100], 100, 200, 80)).toBe("M0.0 80.0L100.0 40.0L200.0 0.0");
  });
  it("leaves a gap where nothing was measured", () => {
    expect(linePath([0, 0, null, 0, 0], 1, 40, 10)).toBe("M0.0 10.0L10.0 10.0M30.0 10.0L40.0 10.0");
  });
  it("shows a lonely value, and nothing of none", () => {
    expect(linePath([null, 1, null], 1, 20, 10)).toBe("M10.0 0.0 h5.0");
    expect(linePath([null, 1], 1, 20, 10)).toBe("M10.0 0.0 h10.0");
    expect(linePath([null, null], 1, 20, 10)).toBe("");
  });
  it("keeps what is too large inside", () => {
    expect(linePath([9, 9], 3, 10, 10)).toBe("M0.0 0.0L10.0 0.0");
  });
});

it("finds runs, the value of now and the nearest point", () => {
  expect(runsOf([null, 1, 2, null, 3])).toEqual([
    { start: 1, values: [1, 2] },
    { start: 4, values: [3] },
  ]);
  expect(current([1, 2, null])).toBe(2);
  expect(current([1, null, null, null, null])).toBeNull();
  expect(current([null])).toBeNull();
  expect([-1, 0, 0.49, 1, 2].map((place) => nearest(place, 3))).toEqual([0, 0, 1, 2, 2]);
});
