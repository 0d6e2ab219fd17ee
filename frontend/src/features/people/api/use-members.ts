import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { MemberInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import type { GroupRole } from "../model/roles";
import { useChanging } from "./use-changing";

/** Who belongs to a group, also by one above it. */
export function useMembers(groupId: string) {
  return useQuery({
    queryKey: clusterKeys.members(groupId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/groups/{group_id}/members", { params: { path: { group_id: groupId } } }),
      ),
  });
}

export function useAddMember(groupId: string) {
  return useChanging((body: MemberInput) =>
    unwrap(
      api.POST("/api/v1/groups/{group_id}/members", {
        params: { path: { group_id: groupId } },
        body,
      }),
    ),
  );
}

export function useChangeMember(groupId: string, userId: string) {
  return useChanging((role: GroupRole) =>
    unwrap(
      api.PATCH("/api/v1/groups/{group_id}/members/{user_id}", {
        params: { path: { group_id: groupId, user_id: userId } },
        body: { role },
      }),
    ),
  );
}

export function useRemoveMember(groupId: string) {
  return useChanging((userId: string) =>
    unwrap(
      api.DELETE("/api/v1/groups/{group_id}/members/{user_id}", {
        params: { path: { group_id: groupId, user_id: userId } },
      }),
    ),
  );
}
