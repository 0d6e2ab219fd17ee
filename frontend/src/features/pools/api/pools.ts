import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Pool, PoolChange, PoolInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { poolChange } from "../model/pool";

/** Create a pool, which nodes join later, or change this one. */
export function useSavePool(pool: Pool | undefined) {
  return useClusterMutation((body: PoolInput) =>
    pool === undefined
      ? unwrap(api.POST("/api/v1/pools", { body }))
      : changePool(pool.id, poolChange(body)),
  );
}

/** Open a pool for new work, or close it. */
export function useOpenPool(poolId: string) {
  return useClusterMutation((is_open: boolean) => changePool(poolId, { is_open }));
}

function changePool(poolId: string, body: PoolChange) {
  return unwrap(
    api.PATCH("/api/v1/pools/{pool_id}", { params: { path: { pool_id: poolId } }, body }),
  );
}

/** Remove an empty pool; the server's refusal names what it still holds. */
export function useRemovePool() {
  return useClusterMutation((poolId: string) =>
    unwrap(api.DELETE("/api/v1/pools/{pool_id}", { params: { path: { pool_id: poolId } } })),
  );
}

/** Move a drained node with all its cards to another pool. */
export function useMoveNode(nodeId: string) {
  const params = { path: { node_id: nodeId } };
  return useClusterMutation((body: { pool: string }) =>
    unwrap(api.POST("/api/v1/nodes/{node_id}/move", { params, body })),
  );
}

/** Create the join token of one named node; the answer holds the only copy of it. */
export function useInviteNode(poolId: string) {
  return useMutation({
    mutationFn: ({ node_name }: { node_name: string }) =>
      unwrap(api.POST("/api/v1/nodes/join-tokens", { body: { node_name, pool: poolId } })),
  });
}

/** A change after which pools and nodes are fetched again, whatever its outcome. */
function useClusterMutation<Body, Answer>(send: (body: Body) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: clusterKeys.pools }),
        client.invalidateQueries({ queryKey: clusterKeys.nodes }),
      ]),
  });
}
