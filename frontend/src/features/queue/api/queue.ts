import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { useFallbackInterval, useTopics } from "@/shared/live/live";

/** The queue of one pool; renewed when the scheduler found something else. */
export function useQueue(poolId: string) {
  const queryKey = [...clusterKeys.pools, poolId, "queue"] as const;
  useTopics([`pool:${poolId}`], [queryKey]);
  return useQuery({
    queryKey,
    queryFn: () =>
      unwrap(api.GET("/api/v1/pools/{pool_id}/queue", { params: { path: { pool_id: poolId } } })),
    placeholderData: keepPreviousData,
    refetchInterval: useFallbackInterval(),
  });
}
