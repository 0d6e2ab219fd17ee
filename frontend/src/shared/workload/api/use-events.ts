import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval } from "@/shared/live/live";
import { workloadKeys } from "./keys";

/** Everything that happened to a workload, newest first. */
export function useEvents(workloadId: string) {
  return useQuery({
    queryKey: workloadKeys.events(workloadId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workloads/{workload_id}/events", {
          params: { path: { workload_id: workloadId } },
        }),
      ),
    refetchInterval: useFallbackInterval(),
  });
}
