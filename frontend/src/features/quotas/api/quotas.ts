/** Quotas, budgets, and limits of groups and members. */
import { type QueryKey, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type {
  BudgetInput,
  GroupLimitInput,
  MemberLimitInput,
  NewQuota,
  QuotaInput,
} from "@/shared/api/types";
import { clusterKeys, usePools } from "@/shared/cluster/api/cluster";
import { groupLimitsKey } from "@/shared/cluster/api/limits";
import { useListChanges, useTopics } from "@/shared/live/live";

export const limitKeys = {
  budgets: ["budgets"] as const,
  groups: groupLimitsKey,
  members: ["member-limits"] as const,
  standing: ["fair-share"] as const,
};
const STANDING_MS = 60_000;
/** Work of all pools begins and ends often: the standing is fetched once in this time. */
const STANDING_GATHER_MS = 5_000;

/** The standing of my groups in fair share; starts and ends move it, and by itself it decays. */
export function useFairShare() {
  const pools = usePools().data ?? [];
  const topics = ["changed:quota", "changed:group", ...pools.map(({ id }) => `pool:${id}`)];
  useTopics(topics, [limitKeys.standing], { pauseMs: STANDING_GATHER_MS });
  return useQuery({
    queryKey: limitKeys.standing,
    queryFn: () => unwrap(api.GET("/api/v1/fair-share")),
    refetchInterval: STANDING_MS,
  });
}

export function useAddQuota() {
  return useLimitMutation(clusterKeys.allQuotas, (body: NewQuota) =>
    unwrap(api.POST("/api/v1/quotas", { body })),
  );
}

export function useRemoveQuota() {
  return useLimitMutation(clusterKeys.allQuotas, (quotaId: string) =>
    unwrap(api.DELETE("/api/v1/quotas/{quota_id}", { params: { path: { quota_id: quotaId } } })),
  );
}

export function useChangeQuota(quotaId: string) {
  return useLimitMutation(clusterKeys.allQuotas, (body: QuotaInput) =>
    unwrap(
      api.PATCH("/api/v1/quotas/{quota_id}", { params: { path: { quota_id: quotaId } }, body }),
    ),
  );
}

/** The budgets of my groups, with what is used of them. */
export function useBudgets() {
  useListChanges(["budget", "usage", "price"], [limitKeys.budgets]);
  return useQuery({
    queryKey: limitKeys.budgets,
    queryFn: () => unwrap(api.GET("/api/v1/budgets")),
  });
}

export function useSetBudget() {
  return useLimitMutation(limitKeys.budgets, (body: BudgetInput) =>
    unwrap(api.PUT("/api/v1/budgets", { body })),
  );
}

export function useRemoveBudget() {
  return useLimitMutation(limitKeys.budgets, (budgetId: string) =>
    unwrap(
      api.DELETE("/api/v1/budgets/{budget_id}", { params: { path: { budget_id: budgetId } } }),
    ),
  );
}

export function useChangeGroupLimit(groupId: string) {
  return useLimitMutation(limitKeys.groups, (body: GroupLimitInput) =>
    unwrap(
      api.PATCH("/api/v1/groups/{group_id}/limits", {
        params: { path: { group_id: groupId } },
        body,
      }),
    ),
  );
}

/** The members of my groups who have a time limit of their own. */
export function useMemberLimits() {
  useListChanges(["member_limit"], [limitKeys.members]);
  return useQuery({
    queryKey: limitKeys.members,
    queryFn: () => unwrap(api.GET("/api/v1/member-limits")),
  });
}

export function useSetMemberLimit() {
  return useLimitMutation(limitKeys.members, (body: MemberLimitInput) =>
    unwrap(api.PUT("/api/v1/member-limits", { body })),
  );
}

export function useRemoveMemberLimit() {
  return useLimitMutation(limitKeys.members, (limitId: string) =>
    unwrap(
      api.DELETE("/api/v1/member-limits/{limit_id}", {
        params: { path: { limit_id: limitId } },
      }),
    ),
  );
}

/** A change of what is listed under `queryKey`, which is then fetched again. */
function useLimitMutation<Input, Answer>(
  queryKey: QueryKey,
  mutationFn: (input: Input) => Promise<Answer>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
}
