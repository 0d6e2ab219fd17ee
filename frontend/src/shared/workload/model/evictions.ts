/** When a workload had to leave for others, from its events. Pure. */
import type { WorkloadEvent } from "@/shared/api/types";

const EVICTION_CAUSES = ["preempted", "reclaimed", "called_back", "consolidated"] as const;
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
