import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type { PolicySave } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { FILE_PAGE, known, loadPages } from "@/shared/lists/api/pages";
import { useListChanges } from "@/shared/live/live";

/** Below the key of pools: what renews the pools renews these. */
const policyKeys = {
  rules: (poolId: string) => [...clusterKeys.pools, poolId, "policy"] as const,
  changes: (poolId: string) => [...clusterKeys.pools, poolId, "policy-changes"] as const,
  runTimes: (poolId: string) => [...clusterKeys.pools, poolId, "run-times"] as const,
};

const PAGE_SIZE = 20;

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
    mutationFn: (body: PolicySave) =>
      unwrap(
        api.PUT("/api/v1/pools/{pool_id}/policy", { params: { path: { pool_id: poolId } }, body }),
      ),
    onSuccess: (answer) => {
      client.setQueryData(policyKeys.rules(poolId), answer);
      return client.invalidateQueries({ queryKey: policyKeys.changes(poolId) });
    },
    onError: () => client.invalidateQueries({ queryKey: policyKeys.rules(poolId) }),
  });
}

/** Who changed the rules of a pool, newest first, page after page. */
export function usePolicyHistory(poolId: string) {
  useListChanges(["pool"], [policyKeys.changes(poolId)]);
  return useInfiniteQuery({
    queryKey: policyKeys.changes(poolId),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => loadHistory(poolId, PAGE_SIZE, pageParam),
    getNextPageParam: nextCursor,
    select: ({ pages }) => pages.flatMap(({ results }) => results),
  });
}

/** All of it for a file, as far as it goes. */
export function loadAllPolicyHistory(poolId: string) {
  return loadPages((cursor) => loadHistory(poolId, FILE_PAGE, cursor));
}

function loadHistory(pool_id: string, page_size: number, cursor: string | undefined) {
  const query = known({ page_size, cursor });
  return unwrap(
    api.GET("/api/v1/pools/{pool_id}/policy-changes", { params: { path: { pool_id }, query } }),
  );
}

/** Put back what a change has changed. */
export function useUndoPolicyChange(pool_id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }) =>
      unwrap(
        api.POST("/api/v1/pools/{pool_id}/policy-changes/{change_id}/undo", {
          params: { path: { pool_id, change_id: id } },
          body: { reason },
        }),
      ),
    onSuccess: () =>
      Promise.all(
        [policyKeys.rules(pool_id), policyKeys.changes(pool_id)].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
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
