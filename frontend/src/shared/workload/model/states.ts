/** What the pages know about workload states; the states themselves are the server's. */
import type { Workload, WorkloadState } from "@/shared/api/types";

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

/** Work that starts at once is not worth an explanation that vanishes again. */
const PATIENCE_MS = 5_000;

/** Whether a queued workload really waits: the scheduler has said why, or it takes a while. */
export function isBeyondDoubt(
  { reasons, queued_at }: Pick<Workload, "reasons" | "queued_at">,
  now: Date,
): boolean {
  return reasons.length > 0 || now.getTime() - new Date(queued_at).getTime() >= PATIENCE_MS;
}
