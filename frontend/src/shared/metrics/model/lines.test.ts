import { describe, expect, it } from "vitest";
import { bestOf, COMPARED_MAX, joinIds, splitIds } from "./comparison";
import { drawChart, formatMetric, isDrawable, isLowerBetter, smooth, wholeExtent } from "./lines";

const LINE = {
  job: "one",
  name: "loss",
  steps: [0, 10, 20],
  times: [5_000, 6_000, 9_000],
  means: [4, null, 1],
  lows: [4, null, 1],
  highs: [4, null, 1],
};

const colourOf = () => "--hue-0";

describe("drawChart", () => {
  const view = { axis: "step", smoothing: 0, isLog: false } as const;
  const late = { ...LINE, job: "two", steps: [5, 10, 15], means: [2, 2, 2] };

  it("goes over steps, or over milliseconds since the first point of each job", () => {
    expect(drawChart([LINE, late], view, colourOf).xs).toEqual([0, 5, 10, 15, 20]);
    expect(drawChart([LINE, late], { ...view, axis: "time" }, colourOf).xs).toEqual([
      0, 1_000, 4_000,
    ]);
  });

  it("draws what was printed behind its smoothed line, in the band of its extremes", () => {
    const plain = drawChart([LINE, late], view, colourOf);
    expect(plain.lines.map(({ style }) => style)).toEqual([
      "edge",
      "edge",
      undefined,
      "edge",
      "edge",
      undefined,
    ]);
    expect(plain.bands.map(({ high }) => high)).toEqual([0, 3]);
    const smoothed = drawChart([LINE, late], { ...view, smoothing: 0.5 }, colourOf);
    expect(smoothed.lines.map(({ style }) => style).slice(2, 4)).toEqual(["faint", undefined]);
    expect(smoothed.bands.map(({ high }) => high)).toEqual([0, 4]);
    expect(smoothed.tips[0]?.raw).toEqual([4, undefined, null, undefined, 1]);
  });

  it("has a gap where there is no number, and no place for what has no logarithm", () => {
    const chart = drawChart([LINE], view, colourOf);
    expect(chart.lines[2]?.values).toEqual([4, null, 1]);
    const below = { ...LINE, means: [0, -1, null], lows: [0, -1, null], highs: [0, -1, null] };
    expect(isDrawable(drawChart([below], view, colourOf))).toBe(true);
    expect(isDrawable(drawChart([below], { ...view, isLog: true }, colourOf))).toBe(false);
  });

  it("shows from the first to the last step", () => {
    expect(wholeExtent([0, 5, 20])).toEqual({ from: 0, to: 20 });
    expect(wholeExtent([7])).toEqual({ from: 7, to: 8 });
  });
});

describe("smooth", () => {
  it("keeps the first value, gaps and a flat line", () => {
    expect(smooth([4, null, 1], 0)).toEqual([4, null, 1]);
    const [first, gap, last] = smooth([4, null, 1], 0.5);
    expect([first, gap]).toEqual([4, null]);
    expect(last).toBeCloseTo(2);
    for (const value of smooth([3, 3, 3], 0.99)) expect(value).toBeCloseTo(3);
  });
});

it("says numbers of any size with four digits", () => {
  expect([0.123456, 0, 12345.6, 1.5e-7, 2e9].map((value) => formatMetric(value, "en"))).toEqual([
    "0.1235",
    "0",
    "12,350",
    "1.5E-7",
    "2E9",
  ]);
});

it("knows by its name which value of a metric is good", () => {
  expect(["val/loss", "WER", "accuracy", "f1"].map(isLowerBetter)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it("reads the jobs of an address once each, and nothing else", () => {
  const id = (digit: number) => `${digit}`.repeat(8).concat("-0000-0000-0000-000000000000");
  expect(joinIds(splitIds(`${id(1)},${id(2)},${id(1)},x`))).toBe(`${id(1)},${id(2)}`);
  expect([splitIds(""), splitIds("<b>")]).toEqual([[], []]);
  const many = Array.from({ length: 9 }, (_, n) => id(n)).concat("a".repeat(8));
  expect(splitIds(many.join(","))).toHaveLength(COMPARED_MAX);
});

it("finds the best task, whatever is missing", () => {
  const metric = (name: string, low: number | null, high: number | null) => ({
    name,
    reports: 1,
    last_step: 0,
    last_at: "",
    last_value: high,
    last_word: "" as const,
    low_value: low,
    low_step: 0,
    high_value: high,
    high_step: 0,
    not_finite: 0,
    not_finite_step: null,
  });
  const task = (id: string) => ({ id, name: "sweep", array_index: 0, state: "running" as const });
  const results = [
    { task: task("a"), metrics: [metric("loss", 3, 9)] },
    { task: task("b"), metrics: [metric("loss", 1, 4)] },
    { task: task("c"), metrics: [metric("loss", null, null)] },
    { task: task("d"), metrics: [] },
  ];
  const best = (isBest: boolean, isLower: boolean) =>
    bestOf(results, "loss", { isBest, isLower }).task;
  expect([best(true, true), best(true, false), best(false, true)]).toEqual(["b", "a", "b"]);
  expect(bestOf(results, "acc", { isBest: true, isLower: true }).task).toBeNull();
});
