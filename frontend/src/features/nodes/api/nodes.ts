import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { FILE_PAGE, known, loadPages } from "@/shared/lists/api/pages";
import { useFallbackInterval } from "@/shared/live/live";

/** One node with its cards and who holds them. */
export function useNode(nodeId: string) {
  return useQuery({
    queryKey: clusterKeys.node(nodeId),
    queryFn: () =>
      unwrap(api.GET("/api/v1/nodes/{node_id}", { params: { path: { node_id: nodeId } } })),
    refetchInterval: useFallbackInterval(),
  });
}

/** What holds something of a node; fetched again whenever the node is. */
export function useNodeWork(nodeId: string) {
  const path = { node_id: nodeId };
  return useQuery({
    queryKey: [...clusterKeys.node(nodeId), "work"],
    queryFn: () =>
      loadPages((cursor) =>
        unwrap(
          api.GET("/api/v1/nodes/{node_id}/work", {
            params: { path, query: known({ page_size: FILE_PAGE, cursor }) },
          }),
        ),
      ),
    refetchInterval: useFallbackInterval(),
  });
}

/** What has happened to a node, for the platform's staff; fetched again whenever the node is. */
export function useNodeHistory(nodeId: string) {
  const params = { path: { node_id: nodeId } };
  return useQuery({
    queryKey: [...clusterKeys.node(nodeId), "history"],
    queryFn: () => unwrap(api.GET("/api/v1/nodes/{node_id}/history", { params })),
    select: ({ events }) => events,
    refetchInterval: useFallbackInterval(),
  });
}

/** What the doctor of a node last found on its host, for those who run nodes. */
export function useNodeChecks(nodeId: string) {
  const params = { path: { node_id: nodeId } };
  return useQuery({
    queryKey: [...clusterKeys.node(nodeId), "checks"],
    queryFn: () => unwrap(api.GET("/api/v1/nodes/{node_id}/checks", { params })),
    refetchInterval: useFallbackInterval(),
  });
}

export type NodeAction = "cordon" | "drain" | "evacuate" | "uncordon" | "retire";

/** How long an evacuation lets work end by itself before everything is moved or stopped. */
export const EVACUATION_S = 600;

/** What an operator does to a node; the map then shows what the server made of it. */
export function useNodeAction(nodeId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: NodeAction) => runNodeAction(nodeId, action),
    onSettled: () => client.invalidateQueries({ queryKey: clusterKeys.nodes }),
  });
}

export async function runNodeAction(nodeId: string, action: NodeAction): Promise<void> {
  const params = { path: { node_id: nodeId } };
  switch (action) {
    case "cordon":
      return void (await unwrap(api.POST("/api/v1/nodes/{node_id}/cordon", { params })));
    case "uncordon":
      return void (await unwrap(api.POST("/api/v1/nodes/{node_id}/uncordon", { params })));
    case "retire":
      return void (await unwrap(api.POST("/api/v1/nodes/{node_id}/retire", { params })));
    default: {
      const body = action === "drain" ? {} : { within_s: EVACUATION_S, stops_all: true };
      await unwrap(api.POST("/api/v1/nodes/{node_id}/drain", { params, body }));
    }
  }
}

/** Give up the work of a silent node; the server wants its name once more. */
export function useDeclareLost(nodeId: string) {
  const client = useQueryClient();
  const params = { path: { node_id: nodeId } };
  return useMutation({
    mutationFn: (body: { name: string }) =>
      unwrap(api.POST("/api/v1/nodes/{node_id}/declare-lost", { params, body })),
    onSettled: () => client.invalidateQueries({ queryKey: clusterKeys.nodes }),
  });
}

/** Request a new test of a card; the card is marked until its node has run it. */
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
