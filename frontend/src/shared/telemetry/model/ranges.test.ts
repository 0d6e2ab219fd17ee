import { expect, it } from "vitest";
import { aWorkload } from "@/testing/factories";
import { firstRange, rangesOf, runOf, spanOfRange } from "./ranges";

const now = new Date("2026-03-01T12:00:00Z");
const started_at = "2026-03-01T11:50:00Z";
const finished_at = "2026-03-01T11:50:22Z";

it("shows work that has ended over its own time, whenever that was", () => {
  const run = runOf(aWorkload({ state: "succeeded", started_at, finished_at }));
  expect(rangesOf(run)).toEqual(["run"]);
  expect(firstRange(run, new Date("2026-04-01T00:00:00Z"))).toBe("run");
  expect(spanOfRange("run", run, now)).toEqual({ since: started_at, until: finished_at });
});

it("keeps the last run of a stopped notebook", () => {
  const run = runOf(
    aWorkload({ kind: "environment", state: "suspended", epoch: 4, started_at, finished_at }),
  );
  expect(run).toEqual({ since: started_at, until: finished_at });
});

it("shows all attempts of a job", () => {
  const job = aWorkload({ epoch: 2, started_at });
  expect(runOf(job)).toEqual({ since: job.submitted_at, until: null });
});

it("shows a young run whole, and of an old one the last hour", () => {
  const young = runOf(aWorkload({ started_at }));
  expect(firstRange(young, now)).toBe("run");
  expect(firstRange(young, new Date("2026-03-01T13:00:00Z"))).toBe("hour");
  expect(rangesOf(young)).toEqual(["run", "hour", "day", "week"]);
});

it("asks for a day and a week back from now, and has no run of a node", () => {
  expect(runOf(aWorkload())).toBeNull();
  expect(rangesOf(null)).toEqual(["hour", "day", "week"]);
  expect(firstRange(null, now)).toBe("hour");
  expect(spanOfRange("day", null, now)).toEqual({ since: "2026-02-28T12:00:00.000Z" });
  expect(spanOfRange("week", null, now)).toEqual({ since: "2026-02-22T12:00:00.000Z" });
});
