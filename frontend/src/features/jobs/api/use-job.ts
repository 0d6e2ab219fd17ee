import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval } from "@/shared/live/live";
import { workloadKeys } from "@/shared/workload/api/workloads";

export function useJob(jobId: string) {
  return useQuery({
    queryKey: workloadKeys.detail(jobId),
    queryFn: () =>
      unwrap(api.GET("/api/v1/jobs/{workload_id}", { params: { path: { workload_id: jobId } } })),
    refetchInterval: useFallbackInterval(),
  });
}
