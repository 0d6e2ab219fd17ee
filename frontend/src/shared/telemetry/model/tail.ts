/** How an open chart goes on: when its last steps are asked for again, and how they are joined to it. Pure. */
import type { Telemetry } from "@/shared/api/types";
import type { Subject } from "./charts";

/** Steps that are asked for again: samples may come late. */
const OVERLAP = 2;
const OVERLAP_MS = 60_000;

/** Between two questions: agents look every few seconds. */
const PAUSE_MS = 5_000;
/** Pools are added up by the minute, however often their cards report. */
const POOL_MS = 30_000;
/** Long steps change little with each look. */
const PARTS_OF_STEP = 12;
/** What has not been answered is asked for again. */
const UNANSWERED_MS = 15_000;

/** How long an answer stands until it is asked what is new. */
export function pauseOf(kind: Subject["kind"], known?: Telemetry): number {
  if (!known) return UNANSWERED_MS;
  const isPool = kind === "pool" || kind === "cluster";
  return Math.max(isPool ? POOL_MS : PAUSE_MS, (1000 * known.step_s) / PARTS_OF_STEP);
}

/** From when a stored answer is asked for again; null when all of it is. */
export function tailBegin({ times, step_s }: Telemetry, since: number): number | null {
  const last = times.at(-1);
  const first = times[0];
  if (last === undefined || first === undefined) return null;
  const begin = last - Math.max(OVERLAP * 1000 * step_s, OVERLAP_MS);
  return begin > first && begin > since ? begin : null;
}

/** A stored answer from `since` on, with its tail in place of its last steps; null if they do not fit. */
export function joinTail<T extends Telemetry>(old: T, tail: T, since: number): T | null {
  const [begin = 0] = tail.times;
  const end = old.times.indexOf(begin);
  if (old.step_s !== tail.step_s || end < 0) return null;
  const start = Math.max(
    0,
    old.times.findLastIndex((time) => time <= since),
  );
  const before = new Map(old.series.map((line) => [`${line.metric} ${line.subject}`, line.values]));
  return {
    ...tail,
    times: [...old.times.slice(start, end), ...tail.times],
    series: tail.series.map((line) => {
      const known = before.get(`${line.metric} ${line.subject}`) ?? Array(end).fill(null);
      return { ...line, values: [...known.slice(start, end), ...line.values] };
    }),
  };
}
