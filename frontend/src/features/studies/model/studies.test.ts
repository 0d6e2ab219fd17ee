import { expect, it } from "vitest";
import { aStory, aStudyFindings } from "@/testing/studies";
import { curvesOf, EVERY_POOL, storyBars, storyCurves, studyInput, trendOf } from "./studies";

it("asks about several changes at once, limits in thousandths of GPUs", () => {
  const nodes = { kind: "nodes", like: "n1", count: 2 } as const;
  const quota = { kind: "quota", group: "g", pool: "p", ceiling: 1.5 } as const;
  const rule = { kind: "rule", pool: "p" } as const;
  const asked = { nodes: [{ like: "n1", count: 2 }] };
  expect(studyInput({ days: 7, changes: [nodes] })).toEqual({ title: "", days: 7, ...asked });
  expect(
    studyInput({
      title: "x",
      days: 7,
      changes: [
        nodes,
        quota,
        { ...rule, rule: "queue.strict" },
        { ...rule, rule: "order.shortest" },
      ],
    }),
  ).toEqual({
    title: "x",
    days: 7,
    ...asked,
    quotas: [{ group: "g", pool: "p", resource: "gpu", ceiling: 1500 }],
    pools: [{ pool: "p", policy: { queue: "strict", order: "shortest" } }],
  });
});

it("asks about the quota over all pools where none is chosen", () => {
  const quota = { kind: "quota", group: "g", pool: EVERY_POOL, ceiling: 12 } as const;
  expect(studyInput({ days: 7, changes: [quota] }).quotas).toEqual([
    { group: "g", pool: null, resource: "gpu", ceiling: 12_000 },
  ]);
});

it("calls less waiting better, and fewer jobs worse", () => {
  expect(trendOf("mean_wait_s", 600, 60)).toBe("better");
  expect(trendOf("jobs", 10, 9)).toBe("worse");
  expect(trendOf("evictions", 1, 1)).toBe("same");
  expect(trendOf("utilisation_permille", 60, 48)).toBe("same");
  expect(trendOf("evictions", null, 1)).toBe("same");
});

it("lays two tellings of unlike length over one span of time", () => {
  const point = (at_ms: number, busy_permille: number, waiting: number) => ({
    at_ms,
    busy_permille,
    waiting,
  });
  const curves = {
    today: [point(0, 1000, 4), point(10, 500, 2), point(20, 250, 0)],
    changed: [point(0, 800, 1), point(5, 700, 0)],
  };

  const [busy, waiting] = curvesOf(aStudyFindings({ curves }));

  expect(busy?.times).toEqual([0, 10, 20]);
  expect(busy?.values).toEqual([
    [1000, 500, 250],
    [800, 0, 0],
  ]);
  expect(waiting?.values[0]).toEqual([4, 2, 0]);
});

it("draws the figures of the story in one scale, and this cluster's if it is known", () => {
  const told = { before: 12, after: 24 };
  const all = { hoursPerGpuDay: told, utilisation: told, tasks: told };
  const { bars, isReached } = storyBars("hoursPerGpuDay", aStory(), all, undefined);
  expect(bars.map(({ key, width }) => [key, Math.round(width)])).toEqual([
    ["toldBefore", 50],
    ["before", 60],
    ["toldAfter", 100],
    ["after", 99],
    ["limit", 100],
    ["ours", 0],
  ]);
  expect([bars.at(-1)?.value, isReached]).toEqual([null, false]);
});

it("shows the hours of the story from Monday on, whatever the reader's zone", () => {
  const [held, , waiting] = storyCurves(aStory());
  const monday = new Date(held?.times[0] ?? 0);
  expect([monday.getDay(), monday.getHours()]).toEqual([1, 0]);
  expect([held?.values, waiting?.values]).toEqual([
    [[20], [32]],
    [[4], [60]],
  ]);
});
