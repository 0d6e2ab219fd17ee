/** Budgets of groups and limits of members, as typed and as the server keeps them. Pure. */
import type {
  Budget,
  BudgetInput,
  GroupLimit,
  GroupLimitInput,
  MemberLimit,
  MemberLimitInput,
} from "@/shared/api/types";
import { ALL_POOLS } from "./quotas";

export const PERIODS = ["day", "week", "month"] as const;
type Period = (typeof PERIODS)[number];

export interface BudgetForm {
  group: string;
  pool: string;
  period: Period;
  gpu_hours: number;
}

const HOUR_S = 3600;

/** In GPU-hours; `gone` is what new work cannot have any more. */
export function hoursOf({ used_gpu_s, promised_gpu_s, gpu_hours }: Budget) {
  const used = used_gpu_s / HOUR_S;
  return { used, gone: used + promised_gpu_s / HOUR_S, limit: gpu_hours };
}

export function budgetForm(budget: Budget): BudgetForm {
  const { group, pool, period, gpu_hours } = budget;
  return { group: group.id, pool: pool?.id ?? ALL_POOLS, period, gpu_hours };
}

export function budgetInput({ pool, ...rest }: BudgetForm): BudgetInput {
  return { ...rest, pool: pool || null };
}

export const COUNTS = [
  "pending_per_user_max",
  "running_per_user_max",
  "environments_per_user_max",
] as const;
type Count = (typeof COUNTS)[number];

export type GroupLimitForm = Record<Count, number | null> & { hours: number | null };

export function groupLimitForm(limits: GroupLimit): GroupLimitForm {
  const { pending_per_user_max, running_per_user_max, environments_per_user_max } = limits;
  const seconds = limits.time_limit_s_max;
  return {
    pending_per_user_max,
    running_per_user_max,
    environments_per_user_max,
    hours: seconds === null ? null : seconds / HOUR_S,
  };
}

/** A cleared field of a form is `undefined` or null: both mean unlimited. */
export function groupLimitInput({ hours, ...counts }: GroupLimitForm): GroupLimitInput {
  return {
    pending_per_user_max: counts.pending_per_user_max ?? null,
    running_per_user_max: counts.running_per_user_max ?? null,
    environments_per_user_max: counts.environments_per_user_max ?? null,
    time_limit_s_max: typeof hours === "number" ? Math.round(hours * HOUR_S) : null,
  };
}

/** The run time of one member, as people type it. */
export interface MemberLimitForm {
  group: string;
  user: string;
  hours: number;
}

export function memberLimitForm({ group, user, time_limit_s_max }: MemberLimit): MemberLimitForm {
  return { group: group.id, user: user.id, hours: time_limit_s_max / HOUR_S };
}

export function memberLimitInput({ group, user, hours }: MemberLimitForm): MemberLimitInput {
  return { group, user, time_limit_s_max: Math.round(hours * HOUR_S) };
}
