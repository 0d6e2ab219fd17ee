/** The time ranges of charts, and which of them a reader sees first. Pure. */
import type { Workload } from "@/shared/api/types";
import { isTerminal } from "@/shared/workload/model/lifecycle";

export type Range = "run" | "hour" | "day" | "week";

const HOUR_MS = 3_600_000;
const LENGTH_MS: Record<Exclude<Range, "run">, number> = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
};

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
  const since = kind === "training" && epoch > 1 ? submitted_at : started_at;
  return { since, until: isOver ? finished_at : null };
}

/** The ranges on offer; what has ended has no other than its own. */
export function rangesOf(run: Run | null): Range[] {
  if (run?.until) return ["run"];
  return run ? ["run", "hour", "day", "week"] : ["hour", "day", "week"];
}

/** The range shown first: all of a run that has ended or is younger than an hour. */
export function firstRange(run: Run | null, now: Date): Range {
  if (!run) return "hour";
  const isYoung = now.getTime() - new Date(run.since).getTime() < HOUR_MS;
  return run.until || isYoung ? "run" : "hour";
}

/** What to ask the server for. */
export function spanOfRange(range: Range, run: Run | null, now: Date) {
  if (range === "run" && run) return { since: run.since, ...(run.until && { until: run.until }) };
  const length = LENGTH_MS[range === "run" ? "hour" : range];
  return { since: new Date(now.getTime() - length).toISOString() };
}
