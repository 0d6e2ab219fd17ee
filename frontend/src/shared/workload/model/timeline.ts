/** The way of a workload from submission to its end, as steps of a time line. */
import type { WorkloadDetail, WorkloadState } from "@/shared/api/types";
import { isOnTheWay, isTerminal } from "./states";

type StepName = "queued" | "placing" | "starting" | "ready" | "running" | "ended";
export type StepStatus = "done" | "current" | "ahead" | "failed";

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
  timeline: WorkloadDetail["timeline"];
}

const ENVIRONMENT_STEPS: readonly StepName[] = ["queued", "placing", "starting", "ready"];
const JOB_STEPS: readonly StepName[] = ["queued", "placing", "starting", "running", "ended"];

/** Steps with their times: what is over is done, what goes on is current, the rest is ahead. */
export function stepsOf({ kind, state, timeline }: Travelled): Step[] {
  const names = kind === "environment" ? ENVIRONMENT_STEPS : JOB_STEPS;
  const times = names.map((name) => latest(timeline, name));
  const current = currentIndex(names, times, state);
  return names.map((name, index) => ({
    name,
    status: statusOf(index, current, times[index] ?? null, state),
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

function statusOf(
  index: number,
  current: number,
  at: string | null,
  state: WorkloadState,
): StepStatus {
  if (index > current) return "ahead";
  if (index < current) return at === null && isTerminal(state) ? "ahead" : "done";
  if (isTerminal(state)) return state === "succeeded" ? "done" : "failed";
  return "current";
}

/** A requeued workload passes a step again: the latest passage counts. */
function latest(timeline: Travelled["timeline"], name: StepName): string | null {
  return timeline.findLast(({ step }) => step === name)?.at ?? null;
}
