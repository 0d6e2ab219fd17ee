import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { PoolChange, PoolInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { poolChange } from "../model/pool";

/** Create a pool, which nodes join later, or change the one with this id. */
export function useSavePool(poolId: string | undefined) {
  return useClusterChange((body: PoolInput) =>
    poolId === undefined
      ? unwrap(api.POST("/api/v1/pools", { body }))
      : changePool(poolId, poolChange(body)),
  );
}

/** Open a pool for new work, or close it. */
export function useOpenPool(poolId: string) {
  return useClusterChange((is_open: boolean) => changePool(poolId, { is_open }));
}

function changePool(poolId: string, body: PoolChange) {
  return unwrap(
    api.PATCH("/api/v1/pools/{pool_id}", { params: { path: { pool_id: poolId } }, body }),
  );
}

/** Remove a pool that holds nothing; the server says what it still holds. */
export function useRemovePool() {
  return useClusterChange((poolId: string) =>
    unwrap(api.DELETE("/api/v1/pools/{pool_id}", { params: { path: { pool_id: poolId } } })),
  );
}

/** Give a drained node with all its cards to another pool. */
export function useMoveNode(nodeId: string) {
  const params = { path: { node_id: nodeId } };
  return useClusterChange((body: { pool: string }) =>
    unwrap(api.POST("/api/v1/nodes/{node_id}/move", { params, body })),
  );
}

/** Leave for one named node to join a pool; the answer holds the only copy of its token. */
export function useInviteNode(poolId: string) {
  return useMutation({
    mutationFn: ({ node_name }: { node_name: string }) =>
      unwrap(api.POST("/api/v1/nodes/join-tokens", { body: { node_name, pool: poolId } })),
  });
}

/** Pools and nodes are shown anew, whatever the server made of it. */
function useClusterChange<Body, Answer>(send: (body: Body) => Promise<Answer>) {
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
