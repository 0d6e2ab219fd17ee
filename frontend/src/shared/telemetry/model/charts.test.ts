import { describe, expect, it } from "vitest";
import {
  boundOf,
  chartExtent,
  chartsOf,
  current,
  highestOf,
  isLimitNear,
  isSummable,
  meanOf,
  metricsOf,
  namesOf,
  sumOf,
} from "./charts";

const line = (
  metric: string,
  unit: string,
  title: string,
  values: (number | null)[],
  limit: number | null = null,
) => ({ subject: title, title, metric, unit, values, limit });

it("keeps lines that were measured, in one colour each, and says nothing for the rest", () => {
  const telemetry = {
    step_s: 15,
    times: [0, 15_000],
    series: [
      line("gpu_utilisation", "percent", "0", [null, null]),
      line("gpu_utilisation", "percent", "1", [1, null]),
      line("gpu_memory", "mebibytes", "0", [900, 1000], 4096),
      line("gpu_memory", "mebibytes", "1", [1, 2], 4096),
      line("power", "watts", "0", [null, null]),
    ],
  };

  const charts = chartsOf(telemetry, metricsOf("card"));

  expect(
    charts.map(({ metric, limit, lines }) => [metric, limit, lines.map(({ place }) => place)]),
  ).toEqual([
    ["gpu_utilisation", null, [1]],
    ["gpu_memory", 4096, [0, 1]],
    ["power", null, []],
    ["temperature", null, []],
  ]);
  expect(namesOf(charts).map(({ title }) => title)).toEqual(["0", "1"]);
});

it("shows no limit that is not the same for all lines, or far above them", () => {
  const telemetry = {
    step_s: 15,
    times: [0],
    series: [line("cpu", "milli", "0", [1], 1000), line("cpu", "milli", "1", [1], 2000)],
  };
  expect(chartsOf(telemetry, ["cpu"])[0]?.limit).toBeNull();
  expect([isLimitNear(200, 100), isLimitNear(201, 100), isLimitNear(null, 9)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([boundOf(100, 3), boundOf(null, 3)]).toEqual([300, null]);
});

describe("sums", () => {
  it("are of what is drawn, and a gap where nothing is known", () => {
    const lines = [{ values: [1, null, 3, undefined] }, { values: [10, null, null, null] }];
    expect(sumOf(lines)).toEqual([11, null, 3, undefined]);
    expect(highestOf([{ values: sumOf(lines) }])).toBe(11);
    expect(sumOf([])).toEqual([]);
  });
  it("say nothing of percentages and temperatures", () => {
    expect(["percent", "celsius", "watts", "milli"].map(isSummable)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

it("knows the value of now while samples arrive a little late", () => {
  expect(current([1, 2, null], 15_000)).toBe(2);
  expect(current([1, null, null, null, null], 15_000)).toBeNull();
  expect(current([1, null, null, null, null], 5_000)).toBe(1);
  expect(meanOf([1, null, 3, undefined])).toBe(2);
  expect(meanOf([null])).toBeNull();
});

it("shows of a run what was measured only, so that a short one fills its width", () => {
  const telemetry = {
    step_s: 5,
    times: [0, 5_000, 10_000, 15_000, 20_000],
    series: [line("cpu", "milli", "0", [null, 1, null, 2, null])],
  };
  expect(chartExtent(telemetry, true)).toEqual({ from: 5_000, to: 15_000 });
  expect(chartExtent(telemetry, false)).toEqual({ from: 0, to: 20_000 });
  expect(chartExtent({ ...telemetry, times: [0] }, false)).toEqual({ from: 0, to: 5_000 });
});
