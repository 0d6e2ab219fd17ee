import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval } from "@/shared/live/live";
import { clusterKeys } from "./keys";

/** The pools with what is free in them now. */
export function usePools() {
  return useQuery({
    queryKey: clusterKeys.pools,
    queryFn: () => unwrap(api.GET("/api/v1/pools")),
    select: (page) => page.results,
    refetchInterval: useFallbackInterval(),
  });
}
