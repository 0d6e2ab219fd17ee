import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { operations } from "@/shared/api/schema.gen";
import type { GroupPlace } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { useFallbackInterval, useTopics } from "@/shared/live/live";

type QueueQuery = NonNullable<operations["pool_queue_get"]["parameters"]["query"]>;

/** Which of the waiting work is listed; absent is all. */
export interface QueueFilter {
  reason?: string;
  /** The id of a group. */
  team?: string;
}

const REASON = /^[a-z_]{1,40}$/;
const ID = /^[0-9a-f-]{36}$/;

export function readQueueFilter({ reason, team }: Record<string, unknown>): QueueFilter {
  return {
    ...(typeof reason === "string" && REASON.test(reason) && { reason }),
    ...(typeof team === "string" && ID.test(team) && { team }),
  };
}

/** The queue of one pool; renewed when the scheduler found something else. */
export function useQueue(poolId: string, { reason, team }: QueueFilter = {}) {
  const queryKey = [...clusterKeys.pools, poolId, "queue", { reason, team }] as const;
  const query: QueueQuery = {
    ...(reason && { reason: reason as NonNullable<QueueQuery["reason"]> }),
    ...(team && { group: team }),
  };
  useTopics([`pool:${poolId}`], [queryKey]);
  return useQuery({
    queryKey,
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/pools/{pool_id}/queue", { params: { path: { pool_id: poolId }, query } }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: useFallbackInterval(),
  });
}

/** Put waiting work before or behind the other work of its group; the order is that of the next pass. */
export function usePlaceInGroup(workloadId: string, poolId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (place: GroupPlace) =>
      unwrap(
        api.POST("/api/v1/workloads/{workload_id}/place", {
          params: { path: { workload_id: workloadId } },
          body: { place },
        }),
      ),
    onSuccess: () =>
      client.invalidateQueries({ queryKey: [...clusterKeys.pools, poolId, "queue"] }),
  });
}
