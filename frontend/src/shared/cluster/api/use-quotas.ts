import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval } from "@/shared/live/live";
import { clusterKeys } from "./keys";

/** Limits and use of one group, or of all groups that I may see. */
export function useQuotas(groupId: string | null) {
  return useQuery({
    queryKey: clusterKeys.quotas(groupId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/quotas", {
          params: { query: groupId === null ? {} : { group: groupId } },
        }),
      ),
    refetchInterval: useFallbackInterval(),
  });
}
