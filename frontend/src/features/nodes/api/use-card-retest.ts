import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { clusterKeys } from "@/shared/cluster/api/cluster";

/** Has a node judge one of its cards anew; the card says so until the node has. */
export function useCardRetest(nodeId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (cardId: string) => {
      const params = { path: { node_id: nodeId, card_id: cardId } };
      await unwrap(api.POST("/api/v1/nodes/{node_id}/cards/{card_id}/retest", { params }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: clusterKeys.nodes }),
  });
}
