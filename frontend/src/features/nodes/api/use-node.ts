import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { useFallbackInterval } from "@/shared/live/live";

/** One node with its cards and who holds them. */
export function useNode(nodeId: string) {
  return useQuery({
    queryKey: [...clusterKeys.nodes, nodeId],
    queryFn: () =>
      unwrap(api.GET("/api/v1/nodes/{node_id}", { params: { path: { node_id: nodeId } } })),
    refetchInterval: useFallbackInterval(),
  });
}
