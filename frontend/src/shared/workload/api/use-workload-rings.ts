import { useTopics } from "@/shared/live/live";
import { workloadKeys } from "./keys";

/** Keep everything shown about one workload fresh. */
export function useWorkloadRings(workloadId: string): void {
  useTopics([`workload:${workloadId}`], [workloadKeys.one(workloadId)]);
}
