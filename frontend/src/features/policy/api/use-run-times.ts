import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { clusterKeys } from "@/shared/cluster/api/cluster";

/** How good the run times have been that were predicted for jobs of a pool. */
export function useRunTimes(poolId: string) {
  return useQuery({
    queryKey: clusterKeys.runTimes(poolId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/pools/{pool_id}/run-times", { params: { path: { pool_id: poolId } } }),
      ),
  });
}
