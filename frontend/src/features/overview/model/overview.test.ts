import { expect, it } from "vitest";
import { aWorkload } from "@/testing/factories";
import { endedIn, glanceOf, nextVisit, readVisit, sinceOf } from "./overview";

const queued = Array.from({ length: 60 }, (_, at) => aWorkload({ id: `q${at}`, state: "queued" }));
const running = aWorkload({ id: "r", state: "running" });

it("shows what runs before sixty jobs that wait, and one screen of all", () => {
  const { shown, hasMore } = glanceOf([running], [...queued, running]);
  expect(shown[0]?.id).toBe("r");
  expect(shown.filter(({ id }) => id === "r")).toHaveLength(1);
  expect(shown.length).toBeLessThan(10);
  expect(hasMore).toBe(true);
});

it("has no more to show when all is there", () => {
  expect(glanceOf([running], [running])).toEqual({ shown: [running], hasMore: false });
});

const HOUR = 3_600_000;
const NOW = Date.parse("2026-03-02T09:00:00Z");

it("shows at least the last day, more after a longer absence, and two weeks at most", () => {
  const after = (away: number) => NOW - sinceOf(nextVisit({ at: NOW - away, before: null }, NOW));
  expect(after(2 * HOUR)).toBe(24 * HOUR);
  expect(after(60 * HOUR)).toBe(60 * HOUR);
  expect(after(900 * HOUR)).toBe(14 * 24 * HOUR);
  expect(NOW - sinceOf(nextVisit(null, NOW))).toBe(24 * HOUR);
});

it("counts a page that is opened again within half an hour as the same visit", () => {
  const first = nextVisit({ at: NOW - 70 * HOUR, before: null }, NOW);
  const again = nextVisit(first, NOW + HOUR / 4);
  expect(again.before).toBe(NOW - 70 * HOUR);
  expect(nextVisit(again, NOW + 2 * HOUR).before).toBe(NOW + HOUR / 4);
});

it("reads what the browser kept, whatever it is", () => {
  expect(readVisit('{"at": 5, "before": 3}')).toEqual({ at: 5, before: 3 });
  for (const stored of [null, "", "{", "7", '{"at": "x"}']) expect(readVisit(stored)).toBeNull();
});

it("lists what is over for good, the newest end first", () => {
  const ended = (id: string, state: "failed" | "succeeded" | "suspended", hour: number) =>
    aWorkload({ id, state, finished_at: `2026-03-01T0${hour}:00:00Z` });
  const rows = [ended("a", "failed", 1), ended("b", "suspended", 2), ended("c", "succeeded", 3)];
  expect(endedIn([...rows, aWorkload({ id: "d" })]).map(({ id }) => id)).toEqual(["c", "a"]);
});
