/** Card-hours of a calendar period: what is gone, and what is promised to running work. Pure. */
import type { Budget, BudgetInput } from "@/shared/api/types";
import { ALL_POOLS } from "./limits";

export const PERIODS = ["day", "week", "month"] as const;
type Period = (typeof PERIODS)[number];

export interface BudgetForm {
  group: string;
  pool: string;
  period: Period;
  card_hours: number;
}

const HOUR_S = 3600;

/** In card-hours; `gone` is what new work cannot have any more. */
export function hoursOf({ used_card_s, promised_card_s, card_hours }: Budget) {
  const used = used_card_s / HOUR_S;
  return { used, gone: used + promised_card_s / HOUR_S, limit: card_hours };
}

export function formOfBudget(budget: Budget): BudgetForm {
  const { group, pool, period, card_hours } = budget;
  return { group: group.id, pool: pool?.id ?? ALL_POOLS, period, card_hours };
}

export function budgetOf({ pool, ...rest }: BudgetForm): BudgetInput {
  return { ...rest, pool: pool || null };
}
