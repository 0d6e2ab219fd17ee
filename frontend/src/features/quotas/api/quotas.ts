/** Quotas, budgets and limits of members: what is set, and by whom it is changed. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type {
  BudgetInput,
  GroupLimitInput,
  MemberLimitInput,
  NewQuota,
  QuotaInput,
} from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";

export function useAddQuota() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewQuota) => unwrap(api.POST("/api/v1/quotas", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.allQuotas }),
  });
}

export function useRemoveQuota() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (quotaId: string) =>
      unwrap(api.DELETE("/api/v1/quotas/{quota_id}", { params: { path: { quota_id: quotaId } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.allQuotas }),
  });
}

export function useChangeQuota(quotaId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: QuotaInput) =>
      unwrap(
        api.PATCH("/api/v1/quotas/{quota_id}", { params: { path: { quota_id: quotaId } }, body }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.allQuotas }),
  });
}

/** The budgets of my groups, with what is gone of them. */
export function useBudgets() {
  return useQuery({
    queryKey: clusterKeys.budgets,
    queryFn: () => unwrap(api.GET("/api/v1/budgets")),
  });
}

export function useSetBudget() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BudgetInput) => unwrap(api.PUT("/api/v1/budgets", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.budgets }),
  });
}

export function useRemoveBudget() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (budgetId: string) =>
      unwrap(
        api.DELETE("/api/v1/budgets/{budget_id}", { params: { path: { budget_id: budgetId } } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.budgets }),
  });
}

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

/** The members of my groups whose work has a run time of its own. */
export function useMemberLimits() {
  return useQuery({
    queryKey: clusterKeys.memberLimits,
    queryFn: () => unwrap(api.GET("/api/v1/member-limits")),
  });
}

/** Who belongs to a group. */
export function useGroupMembers(groupId: string | undefined) {
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
