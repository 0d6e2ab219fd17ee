import { describe, expect, it } from "vitest";
import { formatMarks, formatMeasured, formatPoint, formatTimes } from "./amounts";

const words = {
  language: "en",
  cores: (amount: string, count: number) => `${amount} ${count === 1 ? "core" : "cores"}`,
};

it("says amounts in their units", () => {
  const amounts: [number, string][] = [
    [45.4, "percent"],
    [1536, "mebibytes"],
    [433, "milli"],
    [1000, "milli"],
    [71.6, "watts"],
    [41, "celsius"],
    [2048, "bytes_per_second"],
  ];
  expect(amounts.map(([value, unit]) => formatMeasured(value, unit, words))).toEqual([
    "45 %",
    "1.5 GiB",
    "0.43 cores",
    "1 core",
    "72 W",
    "41 °C",
    "2 KiB/s",
  ]);
});

describe("marks of an axis", () => {
  it("are told apart, however near they are", () => {
    expect(formatMarks([0, 100, 200], 100, "milli", words)).toEqual([
      "0 cores",
      "0.1 cores",
      "0.2 cores",
    ]);
    expect(formatMarks([0, 50], 50, "milli", words)).toEqual(["0 cores", "0.05 cores"]);
    expect(formatMarks([0, 512, 1024, 1536], 512, "mebibytes", words)).toEqual([
      "0 MiB",
      "512 MiB",
      "1 GiB",
      "1.5 GiB",
    ]);
    expect(formatMarks([1280], 256, "mebibytes", words)).toEqual(["1.25 GiB"]);
    expect(formatMarks([0.5], 0.5, "watts", words)).toEqual(["0.5 W"]);
    expect(formatMarks([2 ** 20], 2 ** 20, "bytes_per_second", words)).toEqual(["1 MiB/s"]);
  });
  it("are seconds, clock times, days or months", () => {
    const noon = new Date(2026, 2, 1, 12, 0, 5).getTime();
    const midnight = new Date(2026, 2, 1).getTime();
    const step = { second: 5_000, hour: 3_600_000, day: 86_400_000, month: 30 * 86_400_000 };
    expect(formatTimes([noon], step.second, "en")).toEqual(["12:00:05"]);
    expect(formatTimes([midnight, noon], step.hour, "en")).toEqual(["Mar 1", "12:00"]);
    expect(formatTimes([noon], step.day, "zh-CN")).toEqual(["3月1日"]);
    expect(formatTimes([noon], step.month, "en")).toEqual(["Mar 2026"]);
  });
  it("give a point its date where the axis is long", () => {
    const noon = new Date(2026, 2, 1, 12, 0, 5).getTime();
    const spans = [60_000, 86_400_000, 365 * 86_400_000];
    expect(spans.map((span) => formatPoint(noon, span, "en"))).toEqual([
      "12:00:05",
      "Mar 1, 12:00",
      "Mar 1, 2026, 12:00",
    ]);
  });
});
