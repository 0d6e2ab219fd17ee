import { describe, expect, it } from "vitest";
import type { Telemetry } from "@/shared/api/types";
import { joinTail, pauseOf, tailBegin } from "./tail";

const line = (metric: string, title: string, values: (number | null)[]) => ({
  subject: title,
  title,
  metric,
  unit: "milli",
  values,
  limit: null,
});

describe("an answer that is asked for", () => {
  const times = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => from + n * 15_000);
  const old: Telemetry = {
    step_s: 15,
    times: times(0, 10),
    series: [line("cpu", "0", [0, 1, 2, 3, 4, 5, 6, 7, 8, null])],
  };

  it("overlaps what may have come late, and continues without a seam", () => {
    expect(tailBegin(old, 0)).toBe(75_000);
    const tail = {
      ...old,
      times: times(75_000, 6),
      series: [
        line("cpu", "0", [5, 6, 7, 8, 9, 10]),
        line("cpu", "1", [null, null, null, null, 1, 2]),
      ],
    };
    const joined = joinTail(old, tail, 31_000);
    expect(joined?.times).toEqual(times(30_000, 9));
    expect(joined?.series.map(({ values }) => values)).toEqual([
      [2, 3, 4, 5, 6, 7, 8, 9, 10],
      [null, null, null, null, null, null, null, 1, 2],
    ]);
  });

  it("is not asked for of a short history, and does not fit other steps", () => {
    expect(tailBegin({ ...old, times: times(0, 3) }, 0)).toBeNull();
    expect(tailBegin(old, 100_000)).toBeNull();
    expect(joinTail(old, { ...old, step_s: 30 }, 0)).toBeNull();
    expect(joinTail(old, { ...old, times: [7] }, 0)).toBeNull();
  });
});

it("is asked what is new every few seconds, the less often the longer its steps are", () => {
  const ofStep = (step_s: number) => ({ step_s, times: [], series: [] });
  expect([5, 10, 60, 300, 3_600].map((step) => pauseOf("node", ofStep(step)) / 1000)).toEqual([
    5, 5, 5, 25, 300,
  ]);
  expect([60, 3_600].map((step) => pauseOf("pool", ofStep(step)) / 1000)).toEqual([30, 300]);
  expect(pauseOf("cluster", ofStep(60))).toBe(30_000);
  expect(pauseOf("workload")).toBe(15_000);
});
