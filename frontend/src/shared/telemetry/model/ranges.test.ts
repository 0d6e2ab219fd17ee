import { expect, it } from "vitest";
import { aWorkload } from "@/testing/factories";
import { firstRange, rangesOf, readRange, runOf, spanOfRange, writeRange, zoomTo } from "./ranges";

const now = new Date("2026-03-01T12:00:00Z");
const started_at = "2026-03-01T11:50:00Z";
const finished_at = "2026-03-01T11:50:22Z";
const ALL = ["15m", "1h", "6h", "24h", "7d", "30d", "90d", "1y", "3y"];

it("shows work that has ended over its own time, whenever that was", () => {
  const run = runOf(aWorkload({ state: "succeeded", started_at, finished_at }));
  expect(rangesOf(run, now)).toEqual(["run"]);
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

it("shows a young run whole, of an old one the last hour, and none longer than itself", () => {
  const young = runOf(aWorkload({ started_at }));
  expect(rangesOf(young, now)).toEqual(["run"]);
  expect(firstRange(young, now)).toBe("run");
  const later = new Date("2026-03-01T13:00:00Z");
  expect(rangesOf(young, later)).toEqual(["run", "15m", "1h"]);
  expect(firstRange(young, later)).toBe("1h");
});

it("offers every range of hardware, which has no run", () => {
  expect(runOf(aWorkload())).toBeNull();
  expect(rangesOf(null, now)).toEqual(ALL);
  expect(firstRange(null, now)).toBe("1h");
  expect(spanOfRange("24h", null, now)).toEqual({ since: "2026-02-28T12:00:00.000Z" });
  expect(spanOfRange("3y", null, now)).toEqual({ since: "2023-03-02T12:00:00.000Z" });
});

it("reads and writes the range of an address, and nothing else", () => {
  const offered = rangesOf(null, now);
  const zoomed = { from: 1_772_366_400_000, to: 1_772_366_460_500 };
  expect(writeRange("6h")).toBe("6h");
  expect(writeRange(zoomed)).toBe("1772366400-1772366461");
  expect(readRange(writeRange(zoomed), offered)).toEqual({ ...zoomed, to: 1_772_366_461_000 });
  expect(readRange("6h", offered)).toBe("6h");
  for (const value of ["run", "5h", "2-1", "1772366461-1772366400", 6, undefined]) {
    expect(readRange(value, offered)).toBeNull();
  }
});

it("zooms into no less than what can be measured", () => {
  expect(zoomTo({ from: 0, to: 100_000 })).toEqual({ from: 0, to: 100_000 });
  expect(zoomTo({ from: 50_000, to: 52_000 })).toEqual({ from: 41_000, to: 61_000 });
});
