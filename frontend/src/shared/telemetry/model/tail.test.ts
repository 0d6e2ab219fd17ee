import { describe, expect, it } from "vitest";
import type { Telemetry } from "@/shared/api/types";
import type { NewPoints } from "@/shared/live/socket";
import { addPoints, joinTail, tailBegin } from "./tail";
import { CASES } from "./tail-cases.gen";

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
    tail: null,
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

const cases = CASES as Record<
  "node" | "workload",
  { pushed: NewPoints[]; answers: [Telemetry, Telemetry][] }
>;

/** The message before which nothing was measured for a minute. */
const HOLE_BEFORE = 9;

/** The curves as they are drawn: steps in which nothing was measured yet end an answer or do not. */
function curvesOf({ step_s, times, series }: Telemetry) {
  const last = Math.max(...series.map(({ values }) => values.findLastIndex((one) => one !== null)));
  return {
    step_s,
    times: times.slice(0, last + 1),
    series: series.map((line) => ({ ...line, values: line.values.slice(0, last + 1) })),
  };
}

describe.each(["node", "workload"] as const)("what the server pushes of a %s", (kind) => {
  const { pushed, answers } = cases[kind];

  it.each([0, 1])("leads from every answer to every later one (step %i)", (step) => {
    const asked: number[] = [];
    answers.forEach((answer, begin) => {
      let shown = answer[step] as Telemetry;
      for (let next = begin + 1; next < pushed.length; next += 1) {
        const added = addPoints(shown, pushed[next] as NewPoints, 0);
        if (!added) asked.push(next);
        shown = added ?? (answers[next]?.[step] as Telemetry);
        expect(curvesOf(shown)).toEqual(curvesOf(answers[next]?.[step] as Telemetry));
      }
    });
    // Only a rate that rises across a hole, right after it, is asked for.
    expect(asked).toEqual(step === 0 ? [HOLE_BEFORE + 1] : []);
  });

  it("counts what comes twice once", () => {
    const [first] = answers[3] as [Telemetry, Telemetry];
    const once = addPoints(first, pushed[4] as NewPoints, 0) as Telemetry;
    expect(addPoints(once, pushed[4] as NewPoints, 0)).toEqual(once);
  });

  it("is not added where something between is missing, or the server does not know", () => {
    const [first] = answers[3] as [Telemetry, Telemetry];
    const next = pushed[4] as NewPoints;
    expect(addPoints(first, pushed[5] as NewPoints, 0)).toBeNull();
    expect(addPoints(first, { ...next, after: null }, 0)).toBeNull();
    expect(addPoints({ ...first, tail: null }, next, 0)).toBeNull();
    const series = next.series.map((one) => ({ ...one, id: "new" }));
    expect(addPoints(first, { ...next, series }, 0)).toBeNull();
    const late = next.series.map((one) => ({ ...one, points: [[0, 1, 1, 1, 1, 1, 1, 1]] }));
    expect(addPoints(first, { ...next, series: late }, 0)).toBeNull();
  });

  it("moves the range on and keeps few samples", () => {
    const [first] = answers[0] as [Telemetry, Telemetry];
    const shown = pushed
      .slice(1)
      .reduce((old, next) => addPoints(old, next, Date.UTC(2031, 4, 4, 12, 1)) as Telemetry, first);
    expect(shown.times[0]).toBe(Date.UTC(2031, 4, 4, 12, 1));
    expect(shown.series.every(({ values }) => values.length === shown.times.length)).toBe(true);
    expect(shown.tail?.series.every(({ points }) => points.length < 10)).toBe(true);
  });
});
