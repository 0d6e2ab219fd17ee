/** The states of a workload, its way through them, and when it had to leave for others. Pure. */
import type { Workload, WorkloadDetail, WorkloadEvent, WorkloadState } from "@/shared/api/types";
import { termsOf } from "./kinds";

const TERMINAL: readonly WorkloadState[] = ["succeeded", "failed", "cancelled", "expired"];
const ON_THE_WAY: readonly WorkloadState[] = ["queued", "placing", "starting"];

/** Ended for good. */
export function isTerminal(state: WorkloadState): boolean {
  return TERMINAL.includes(state);
}

/** Between submission and running. */
export function isOnTheWay(state: WorkloadState): boolean {
  return ON_THE_WAY.includes(state);
}

/** Can still be stopped or cancelled. */
export function isStoppable(state: WorkloadState): boolean {
  return isOnTheWay(state) || state === "running";
}

/** About when it came into its present state. */
export function stateSince({ state, queued_at, started_at, finished_at }: Workload): string {
  return (isOnTheWay(state) ? null : (finished_at ?? started_at)) ?? queued_at;
}

/** Work that starts within this time needs no explanation. */
const PATIENCE_MS = 5_000;

/** Whether a queued workload really waits: the scheduler gave a reason, or it takes a while. */
export function isReallyWaiting(
  { reasons, queued_at }: Pick<Workload, "reasons" | "queued_at">,
  now: Date,
): boolean {
  return reasons.length > 0 || now.getTime() - new Date(queued_at).getTime() >= PATIENCE_MS;
}

const START_STEPS = [
  "foreign_queue",
  "pulling",
  "creating",
  "starting",
  "waiting_for_http",
] as const;
type StartStepName = (typeof START_STEPS)[number];

export interface StartStep {
  name: StartStepName;
  /** Why it waits in the queue of another scheduler, as a code; empty for every other step. */
  reason: string;
  /** How far it has come; null where that is not known. */
  percent: number | null;
}

type Starting = Pick<WorkloadDetail, "state" | "epoch"> & {
  allocations: Pick<
    WorkloadDetail["allocations"][number],
    "epoch" | "phase" | "detail" | "progress_pct"
  >[];
};

/** The step of the replica that is furthest behind; null when nothing starts. */
export function startStep({ state, epoch, allocations }: Starting): StartStep | null {
  if (state !== "starting") return null;
  const steps = allocations
    .filter((item) => item.epoch === epoch && item.phase === "starting")
    .map(({ detail, progress_pct }) => {
      const [name = "", reason = ""] = detail.split(": ");
      return { name: name as StartStepName, reason, percent: progress_pct };
    })
    .filter(({ name }) => START_STEPS.includes(name));
  return steps.toSorted(isFurtherBehind)[0] ?? null;
}

function isFurtherBehind(one: StartStep, other: StartStep): number {
  const byStep = START_STEPS.indexOf(one.name) - START_STEPS.indexOf(other.name);
  return byStep || (one.percent ?? 0) - (other.percent ?? 0);
}

type StepName = "queued" | "placing" | "starting" | "ready" | "running" | "ended";
export type StepStatus = "done" | "current" | "ahead" | "failed" | "stopped";

export interface Step {
  name: StepName;
  status: StepStatus;
  at: string | null;
  /** When the next step that happened began; null while this one lasts or never came. */
  until: string | null;
}

interface Travelled {
  kind: string;
  state: WorkloadState;
  cause?: string;
  exit_code?: number | null;
  timeline: WorkloadDetail["timeline"];
}

/** Of work that is kept when it stops: nothing comes after its use. */
const KEPT_STEPS: readonly StepName[] = ["queued", "placing", "starting", "ready"];
const STEPS: readonly StepName[] = ["queued", "placing", "starting", "running", "ended"];

/** Ends of work that never ran, whatever its node reported on the way. */
const START_FAULTS = ["start_failed", "image_unavailable", "isolation_unavailable"];

/** Whether this cause is one of a start that came to nothing. */
export function isStartFault(cause: string): boolean {
  return START_FAULTS.includes(cause);
}

/** Steps with their times: what is over is done, what goes on is current, the rest is ahead. */
export function stepsOf({
  kind,
  state,
  cause = "",
  exit_code = null,
  timeline,
}: Travelled): Step[] {
  const names = termsOf(kind).is_kept ? KEPT_STEPS : STEPS;
  const neverRan = state === "failed" && isStartFault(cause);
  const times = names.map((name) =>
    neverRan && name === "running" ? null : latest(timeline, name),
  );
  const current = currentIndex(names, times, state);
  // A node may report a short run only once it is over: that it ran is known by its exit code.
  const hasRun = exit_code !== null && !neverRan;
  const statusAt = (name: StepName, index: number): StepStatus => {
    if (neverRan && name === "starting") return "failed";
    if (hasRun && name === "running") return "done";
    return statusOf(index, current, times[index] ?? null, state);
  };
  return names.map((name, index) => ({
    name,
    status: statusAt(name, index),
    at: times[index] ?? null,
    until: times.slice(index + 1).find((time) => time !== null) ?? null,
  }));
}

function currentIndex(
  names: readonly StepName[],
  times: (string | null)[],
  state: WorkloadState,
): number {
  if (isTerminal(state)) return names.indexOf("ended");
  if (isOnTheWay(state)) return names.indexOf(state as StepName);
  if (state === "running") return Math.max(names.indexOf("ready"), names.indexOf("running"));
  return times.findLastIndex((time) => time !== null);
}

const END_STATUS: Partial<Record<WorkloadState, StepStatus>> = {
  succeeded: "done",
  failed: "failed",
  expired: "failed",
  cancelled: "stopped",
};

function statusOf(
  index: number,
  current: number,
  at: string | null,
  state: WorkloadState,
): StepStatus {
  if (index > current) return "ahead";
  if (index < current) return at === null && isTerminal(state) ? "ahead" : "done";
  return END_STATUS[state] ?? "current";
}

/** A requeued workload passes a step again: the latest passage counts. */
function latest(timeline: Travelled["timeline"], name: StepName): string | null {
  return timeline.findLast(({ step }) => step === name)?.at ?? null;
}

/** One run of work, from placement to its end or its return to the queue. */
export interface Attempt {
  number: number;
  since: string;
  until: string;
  cause: string;
}

const LEFT: readonly WorkloadState[] = ["queued", "suspended", ...TERMINAL];

/** The attempts before the present one that are over, the first of them first. */
export function earlierAttempts(events: readonly WorkloadEvent[], epoch: number): Attempt[] {
  const inOrder = events.toSorted((one, other) => one.id - other.id);
  const numbers = [...new Set(inOrder.map((event) => event.epoch))];
  return numbers.flatMap((number) => {
    const own = inOrder.filter((event) => event.epoch === number);
    const begun = own.findIndex(({ to_state }) => to_state === "placing");
    const left = own.slice(begun + 1).find(({ to_state }) => LEFT.includes(to_state));
    const first = own[begun];
    if (number >= epoch || !first || !left) return [];
    return [{ number, since: first.at, until: left.at, cause: left.cause }];
  });
}

type Ranks = Pick<WorkloadDetail, "replicas" | "cause" | "exit_code"> & {
  allocations: Pick<
    WorkloadDetail["allocations"][number],
    "rank" | "exit_cause" | "exit_code" | "finished_at"
  >[];
};

/** The first of several ranks to end as the whole did; null where none failed, or it is not known. */
export function failedRank({ replicas, cause, exit_code, allocations }: Ranks): number | null {
  if (replicas === 1 || !exit_code) return null;
  const failed = allocations.filter(
    (item) => item.exit_cause === cause && item.exit_code === exit_code,
  );
  const endOf = ({ finished_at }: (typeof failed)[number]) => Date.parse(finished_at ?? "");
  return failed.toSorted((a, b) => endOf(a) - endOf(b))[0]?.rank ?? null;
}

const EVICTION_CAUSES = [
  "preempted",
  "reclaimed",
  "called_back",
  "consolidated",
  "reserved",
] as const;
type EvictionCause = (typeof EVICTION_CAUSES)[number];

interface Eviction {
  id: number;
  at: string;
  cause: EvictionCause;
}

/** Newest first. */
export function evictionsOf(events: readonly WorkloadEvent[]): Eviction[] {
  return events
    .flatMap(({ id, at, cause, to_state }) => {
      const known = EVICTION_CAUSES.find((code) => code === cause);
      return known && to_state === "queued" ? [{ id, at, cause: known }] : [];
    })
    .toSorted((a, b) => b.id - a.id);
}
