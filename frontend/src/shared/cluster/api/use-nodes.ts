import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval } from "@/shared/live/live";
import { clusterKeys } from "./keys";

/** The nodes with their cards and who holds them. */
export function useNodes() {
  return useQuery({
    queryKey: clusterKeys.nodes,
    queryFn: () => unwrap(api.GET("/api/v1/nodes")),
    select: (page) => page.results,
    refetchInterval: useFallbackInterval(),
  });
}
