import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { BudgetInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";

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
