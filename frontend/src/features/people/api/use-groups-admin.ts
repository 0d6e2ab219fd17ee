import { api, unwrap } from "@/shared/api/client";
import type { GroupChange, GroupInput } from "@/shared/api/types";
import { useChanging } from "./use-changing";

export function useAddGroup() {
  return useChanging((body: GroupInput) => unwrap(api.POST("/api/v1/groups", { body })));
}

export function useRenameGroup(id: string) {
  return useChanging((body: GroupChange) =>
    unwrap(api.PATCH("/api/v1/groups/{group_id}", { params: { path: { group_id: id } }, body })),
  );
}

export function useRemoveGroup() {
  return useChanging((id: string) =>
    unwrap(api.DELETE("/api/v1/groups/{group_id}", { params: { path: { group_id: id } } })),
  );
}
