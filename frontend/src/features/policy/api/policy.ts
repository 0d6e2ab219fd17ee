import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Policy } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { useListChanges } from "@/shared/live/live";

/** Below the key of pools: what renews the pools renews these. */
const policyKeys = {
  rules: (poolId: string) => [...clusterKeys.pools, poolId, "policy"] as const,
  runTimes: (poolId: string) => [...clusterKeys.pools, poolId, "run-times"] as const,
};

/** The rules of a pool in force, and the product's defaults beside them. */
export function usePolicy(poolId: string) {
  useListChanges(["pool"], [policyKeys.rules(poolId)]);
  return useQuery({
    queryKey: policyKeys.rules(poolId),
    queryFn: () =>
      unwrap(api.GET("/api/v1/pools/{pool_id}/policy", { params: { path: { pool_id: poolId } } })),
  });
}

/** Set all rules; they hold from the next scheduling pass on. */
export function useSetPolicy(poolId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Policy) =>
      unwrap(
        api.PUT("/api/v1/pools/{pool_id}/policy", { params: { path: { pool_id: poolId } }, body }),
      ),
    onSuccess: (answer) => client.setQueryData(policyKeys.rules(poolId), answer),
  });
}

/** How good the run times have been that were predicted for jobs of a pool. */
export function useRunTimes(poolId: string) {
  return useQuery({
    queryKey: policyKeys.runTimes(poolId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/pools/{pool_id}/run-times", { params: { path: { pool_id: poolId } } }),
      ),
  });
}
