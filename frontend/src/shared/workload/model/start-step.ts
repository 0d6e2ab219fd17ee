/** What the nodes are doing for a workload that starts. */
import type { WorkloadDetail } from "@/shared/api/types";

const START_STEPS = ["pulling", "creating", "starting", "waiting_for_http"] as const;
type StartStepName = (typeof START_STEPS)[number];

export interface StartStep {
  name: StartStepName;
  /** How far it has come; null where nobody can tell. */
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
    .map(({ detail, progress_pct }) => ({ name: detail as StartStepName, percent: progress_pct }))
    .filter(({ name }) => START_STEPS.includes(name));
  return steps.toSorted(isFurtherBehind)[0] ?? null;
}

function isFurtherBehind(one: StartStep, other: StartStep): number {
  const byStep = START_STEPS.indexOf(one.name) - START_STEPS.indexOf(other.name);
  return byStep || (one.percent ?? 0) - (other.percent ?? 0);
}
