/** Budgets of groups and limits of members, as typed and as the server keeps them. Pure. */
import type {
  Budget,
  BudgetInput,
  GroupLimit,
  GroupLimitInput,
  MemberLimit,
  MemberLimitInput,
  Quota,
} from "@/shared/api/types";
import type { Priority } from "@/shared/cluster/api/limits";
import { MICROS } from "@/shared/i18n/format";
import { ALL_POOLS, unitOf } from "./quotas";

export const PERIODS = ["day", "week", "month"] as const;
type Period = (typeof PERIODS)[number];

export const UNITS = ["hours", "money"] as const;

export interface BudgetForm {
  group: string;
  pool: string;
  period: Period;
  unit: (typeof UNITS)[number];
  /** GPU-hours, or money of the site. */
  amount: number;
}

const HOUR_S = 3600;

/** In GPU-hours or money; `gone` is what new work cannot have any more. */
export function amountsOf(budget: Budget) {
  const unit = budget.currency ? MICROS : HOUR_S;
  const used = budget.used / unit;
  return { used, gone: used + budget.promised / unit, limit: limitOf(budget) };
}

function limitOf({ gpu_hours, money_micros }: Budget): number {
  return gpu_hours ?? (money_micros ?? 0) / MICROS;
}

export function budgetForm(budget: Budget): BudgetForm {
  const { group, pool, period, currency } = budget;
  const unit = currency ? "money" : "hours";
  return { group: group.id, pool: pool?.id ?? ALL_POOLS, period, unit, amount: limitOf(budget) };
}

export function budgetInput({ pool, unit, amount, ...rest }: BudgetForm): BudgetInput {
  const money = unit === "money";
  return {
    ...rest,
    pool: pool || null,
    gpu_hours: money ? null : Math.round(amount),
    money_micros: money ? Math.round(amount * MICROS) : null,
  };
}

export const COUNTS = [
  "pending_per_user_max",
  "running_per_user_max",
  "environments_per_user_max",
] as const;
type Count = (typeof COUNTS)[number];

export const PRIORITY_LIMITS = ["developer_priority_max", "group_admin_priority_max"] as const;

export type GroupLimitForm = Record<Count, number | null> &
  Record<(typeof PRIORITY_LIMITS)[number], Priority> & {
    hours: number | null;
    extension_hours: number;
  };

export function groupLimitForm(limits: GroupLimit): GroupLimitForm {
  const { pending_per_user_max, running_per_user_max, environments_per_user_max } = limits;
  const { developer_priority_max, group_admin_priority_max, extension_s_max } = limits;
  const seconds = limits.time_limit_s_max;
  return {
    pending_per_user_max,
    running_per_user_max,
    environments_per_user_max,
    developer_priority_max,
    group_admin_priority_max,
    hours: seconds === null ? null : seconds / HOUR_S,
    extension_hours: extension_s_max / HOUR_S,
  };
}

/** A cleared field of a form is `undefined` or null: both mean unlimited. */
export function groupLimitInput(form: GroupLimitForm): GroupLimitInput {
  const { hours, extension_hours, developer_priority_max, group_admin_priority_max } = form;
  return {
    pending_per_user_max: form.pending_per_user_max ?? null,
    running_per_user_max: form.running_per_user_max ?? null,
    environments_per_user_max: form.environments_per_user_max ?? null,
    time_limit_s_max: secondsOf(hours),
    extension_s_max: secondsOf(extension_hours) ?? 0,
    developer_priority_max,
    group_admin_priority_max,
  };
}

export const OWN_COUNTS = ["pending_max", "running_max", "environments_max"] as const;

/** The limits of one member, as people type them; null sets none. */
export type MemberLimitForm = Record<(typeof OWN_COUNTS)[number], number | null> & {
  group: string;
  user: string;
  hours: number | null;
  priority_max: Priority | null;
  /** By quota, in GPUs, cores or GiB. */
  ceilings: Record<string, number | null>;
};

export function memberLimitForm(limit: MemberLimit): MemberLimitForm {
  const { group, user, time_limit_s_max: seconds, ceilings } = limit;
  const { pending_max, running_max, environments_max, priority_max } = limit;
  return {
    group: group.id,
    user: user.id,
    hours: seconds === null ? null : seconds / HOUR_S,
    pending_max,
    running_max,
    environments_max,
    priority_max,
    ceilings: Object.fromEntries(
      ceilings.map(({ quota, resource, ceiling }) => [quota, ceiling / unitOf(resource)]),
    ),
  };
}

/** The same for the server, which counts in smaller units. */
export function memberLimitInput(
  form: MemberLimitForm,
  quotas: readonly Quota[],
): MemberLimitInput {
  const { group, user, hours } = form;
  const units = new Map(quotas.map(({ id, resource }) => [id, unitOf(resource)]));
  return {
    group,
    user,
    time_limit_s_max: secondsOf(hours),
    pending_max: form.pending_max ?? null,
    running_max: form.running_max ?? null,
    environments_max: form.environments_max ?? null,
    priority_max: form.priority_max ?? null,
    ceilings: Object.entries(form.ceilings ?? {}).flatMap(([quota, amount]) => {
      const unit = units.get(quota);
      const isSet = typeof amount === "number" && unit !== undefined;
      return isSet ? [{ quota, ceiling: Math.round(amount * unit) }] : [];
    }),
  };
}

function secondsOf(hours: number | null | undefined): number | null {
  return typeof hours === "number" ? Math.round(hours * HOUR_S) : null;
}
