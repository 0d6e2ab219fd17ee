/** The time ranges of charts: which are on offer, what an address names, what the server is asked for. Pure. */
import { KINDS } from "@/shared/api/kinds.gen";
import type { Workload } from "@/shared/api/types";
import type { Extent } from "@/shared/ui/plot";
import { isTerminal } from "@/shared/workload/model/lifecycle";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const LENGTH_MS = {
  "15m": 15 * MINUTE_MS,
  "1h": HOUR_MS,
  "6h": 6 * HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
  "90d": 90 * DAY_MS,
  "1y": 365 * DAY_MS,
  "3y": 3 * 365 * DAY_MS,
} as const;

type LastRange = keyof typeof LENGTH_MS;
export type NamedRange = "run" | LastRange;
/** A named range, or the part that a reader has zoomed into, in milliseconds. */
export type Range = NamedRange | Extent;

const LAST_RANGES = Object.keys(LENGTH_MS) as LastRange[];

/** From the start of a run to its end; null while it goes on. */
export interface Run {
  since: string;
  until: string | null;
}

type Ran = Pick<
  Workload,
  "kind" | "state" | "epoch" | "submitted_at" | "started_at" | "finished_at"
>;

/** The run of a workload: a job's with all of its attempts, a notebook's since its last start. */
export function runOf(work: Ran): Run | null {
  const { kind, state, epoch, submitted_at, started_at, finished_at } = work;
  if (!started_at) return null;
  const isOver = isTerminal(state) || state === "suspended";
  const since = KINDS[kind].runs_to_end && epoch > 1 ? submitted_at : started_at;
  return { since, until: isOver ? finished_at : null };
}

/** The ranges on offer: what has ended has its own only, and no run has one that is longer than itself. */
export function rangesOf(run: Run | null, now: Date): NamedRange[] {
  if (run?.until) return ["run"];
  if (!run) return LAST_RANGES;
  const age = now.getTime() - new Date(run.since).getTime();
  return ["run", ...LAST_RANGES.filter((range) => LENGTH_MS[range] < age)];
}

/** The range shown first: all of a run that has ended or is younger than an hour. */
export function firstRange(run: Run | null, now: Date): NamedRange {
  return rangesOf(run, now).includes("1h") ? "1h" : "run";
}

/** A zoom in an address: both ends in seconds. */
const ZOOM = /^(\d{9,11})-(\d{9,11})$/;

/** What an address names; null for what is no range of this subject. */
export function readRange(value: unknown, offered: readonly NamedRange[]): Range | null {
  const found = typeof value === "string" ? ZOOM.exec(value) : null;
  if (!found) return offered.find((range) => range === value) ?? null;
  const [from, to] = [1000 * Number(found[1]), 1000 * Number(found[2])];
  return from < to ? { from, to } : null;
}

export function writeRange(range: Range): string {
  if (typeof range === "string") return range;
  return `${Math.floor(range.from / 1000)}-${Math.ceil(range.to / 1000)}`;
}

/** Shorter than this there would be no two measurements. */
const ZOOM_MIN_MS = 20_000;

/** A zoom that is not shorter than what can be measured. */
export function zoomTo({ from, to }: Extent): Extent {
  const short = Math.max(0, ZOOM_MIN_MS - (to - from)) / 2;
  return { from: Math.round(from - short), to: Math.round(to + short) };
}

/** What to ask the server for. */
export function spanOfRange(range: Range, run: Run | null, now: Date) {
  if (typeof range !== "string") {
    return { since: new Date(range.from).toISOString(), until: new Date(range.to).toISOString() };
  }
  if (range === "run" && run) return { since: run.since, ...(run.until && { until: run.until }) };
  const length = LENGTH_MS[range === "run" ? "1h" : range];
  return { since: new Date(now.getTime() - length).toISOString() };
}
