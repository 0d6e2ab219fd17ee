import { expect, it } from "vitest";
import { aStudyFindings } from "@/testing/studies";
import { curvesOf, studyInput, trendOf } from "./studies";

it("asks about servers, or about limits in thousandths of GPUs", () => {
  expect(studyInput({ days: 7, kind: "nodes", like: "n1", count: 2 })).toEqual({
    title: "",
    days: 7,
    nodes: [{ like: "n1", count: 2 }],
  });
  expect(
    studyInput({ title: "x", days: 7, kind: "quota", group: "g", pool: "p", ceiling: 1.5 }),
  ).toEqual({
    title: "x",
    days: 7,
    quotas: [{ group: "g", pool: "p", resource: "gpu", ceiling: 1500 }],
  });
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
  expect(busy?.today).toEqual([1000, 500, 250]);
  expect(busy?.changed).toEqual([800, 0, 0]);
  expect(waiting?.today).toEqual([4, 2, 0]);
});
