import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { GroupLimitInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";

/** What one member of each of my groups may have at a time. */
export function useGroupLimits() {
  return useQuery({
    queryKey: clusterKeys.groupLimits,
    queryFn: () => unwrap(api.GET("/api/v1/group-limits")),
  });
}

export function useChangeGroupLimit(groupId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: GroupLimitInput) =>
      unwrap(
        api.PATCH("/api/v1/groups/{group_id}/limits", {
          params: { path: { group_id: groupId } },
          body,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.groupLimits }),
  });
}
