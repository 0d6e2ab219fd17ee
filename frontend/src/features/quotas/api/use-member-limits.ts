import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { MemberLimitInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";

/** The members of my groups whose work has a run time of its own. */
export function useMemberLimits() {
  return useQuery({
    queryKey: clusterKeys.memberLimits,
    queryFn: () => unwrap(api.GET("/api/v1/member-limits")),
  });
}

/** Who belongs to a group. */
export function useMembers(groupId: string | undefined) {
  return useQuery({
    queryKey: clusterKeys.members(groupId ?? ""),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/groups/{group_id}/members", {
          params: { path: { group_id: groupId as string } },
        }),
      ),
    enabled: groupId !== undefined,
  });
}

export function useSetMemberLimit() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: MemberLimitInput) => unwrap(api.PUT("/api/v1/member-limits", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.memberLimits }),
  });
}

export function useRemoveMemberLimit() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (limitId: string) =>
      unwrap(
        api.DELETE("/api/v1/member-limits/{limit_id}", {
          params: { path: { limit_id: limitId } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.memberLimits }),
  });
}
