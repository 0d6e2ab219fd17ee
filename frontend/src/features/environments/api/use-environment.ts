import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval } from "@/shared/live/live";
import { workloadKeys } from "@/shared/workload/api/workloads";

export function useEnvironment(environmentId: string) {
  return useQuery({
    queryKey: workloadKeys.detail(environmentId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/environments/{workload_id}", {
          params: { path: { workload_id: environmentId } },
        }),
      ),
    refetchInterval: useFallbackInterval(),
  });
}
