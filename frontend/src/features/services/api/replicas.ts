/** Replicas of services: each is work like any other. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval } from "@/shared/live/live";
import { workloadKeys } from "@/shared/workload/api/workloads";

export function useReplica(id: string) {
  return useQuery({
    queryKey: workloadKeys.detail(id),
    queryFn: () =>
      unwrap(api.GET("/api/v1/replicas/{workload_id}", { params: { path: { workload_id: id } } })),
    refetchInterval: useFallbackInterval(),
  });
}

export function useStopReplica(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/v1/replicas/{workload_id}/stop", { params: { path: { workload_id: id } } }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: workloadKeys.one(id) }),
  });
}
