/** Quotas as people type them (GPUs, cores, GiB) and as the server keeps them. Pure. */

import type { Group, NewQuota, Quota, QuotaInput } from "@/shared/api/types";
import {
  type GroupInTree,
  groupTree,
  isInMib,
  type QuotaResource,
  RESOURCES,
} from "@/shared/cluster/model/quotas";
import type { Language } from "@/shared/i18n/language";

export const WEIGHTS = ["high", "medium", "low", "lowest", "none"] as const;
type Weight = (typeof WEIGHTS)[number];

export const LIMITS = ["guarantee", "deserved", "ceiling", "user_ceiling"] as const;
export type Limit = (typeof LIMITS)[number];

/** The limits that a quota of one model has. */
export const CEILINGS = ["ceiling", "user_ceiling"] as const;

/** Null is unlimited. */
export interface LimitsForm {
  guarantee: number;
  deserved: number;
  ceiling: number | null;
  user_ceiling: number | null;
  weight: Weight;
}

export function unitOf(resource: string): number {
  return isInMib(resource) ? 1024 : 1000;
}

/** As the pages write thousands: `1,000`. */
const GROUPED = /^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
/** A comma is a decimal mark only where it can be nothing else: `0,5`, never `1,0000`. */
const DECIMAL = /^(\d+(\.\d+)?|\d+,\d{1,2}|0,\d+)$/;

/** What a cell means, in the units of the engine; undefined for what is no amount. */
export function parseAmount(
  resource: string,
  field: Limit,
  text: string,
): number | null | undefined {
  const typed = text.trim();
  if (typed === "") return field === "ceiling" || field === "user_ceiling" ? null : undefined;
  const isGrouped = GROUPED.test(typed);
  if (!isGrouped && !DECIMAL.test(typed)) return undefined;
  const plain = isGrouped ? typed.replaceAll(",", "") : typed.replace(",", ".");
  const amount = Math.round(Number(plain) * unitOf(resource));
  return amount <= Number.MAX_SAFE_INTEGER ? amount : undefined;
}

export function limitsForm(quota: Quota): LimitsForm {
  const unit = unitOf(quota.resource);
  const shown = (value: number | null) => (value === null ? null : value / unit);
  return {
    guarantee: quota.guarantee / unit,
    deserved: quota.deserved / unit,
    ceiling: shown(quota.ceiling),
    user_ceiling: shown(quota.user_ceiling),
    weight: quota.weight,
  };
}

/** The value of a form that stands for all pools together. */
export const ALL_POOLS = "";

/** A quota that does not exist yet. */
export interface NewQuotaForm extends LimitsForm {
  group: string;
  pool: string;
  resource: QuotaResource;
  /** Only GPUs of this model count; empty is all. */
  model?: string;
}

/** Whether a quota is about one model of GPUs: then it is a ceiling and promises nothing. */
export function isOfModel({ resource, model }: { resource?: string; model?: string }): boolean {
  return resource === "gpu" && Boolean(model);
}

function wantedOf(form: LimitsForm, resource: string) {
  const unit = unitOf(resource);
  const kept = (value: number | null) => (value === null ? null : Math.round(value * unit));
  return {
    guarantee: kept(form.guarantee) ?? 0,
    deserved: kept(form.deserved) ?? 0,
    ceiling: kept(form.ceiling),
    user_ceiling: kept(form.user_ceiling),
    weight: form.weight,
  };
}

export function newQuota({ group, pool, resource, model, ...limits }: NewQuotaForm): NewQuota {
  const place = { group, pool: pool || null, resource };
  if (!isOfModel({ resource, model: model ?? "" })) {
    return { ...place, ...wantedOf(limits, resource) };
  }
  const { ceiling, user_ceiling } = wantedOf(limits, resource);
  return { ...place, model: model ?? "", ceiling, user_ceiling };
}

/** Only what is new; an empty object changes nothing. */
export function quotaChanges(form: LimitsForm, quota: Quota): QuotaInput {
  const wanted = wantedOf(form, quota.resource);
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== quota[name as keyof typeof wanted]),
  );
}

/** The limit below which this one must not lie: guarantee ≤ deserved ≤ ceiling. */
export function minimumOf(limit: Limit, form: Partial<LimitsForm>): number {
  if (limit === "deserved") return form.guarantee ?? 0;
  if (limit === "ceiling") return Math.max(form.deserved ?? 0, form.guarantee ?? 0);
  return 0;
}

// Groups as a tree, each with its quotas, as the rows of a table.

export interface QuotaRow extends GroupInTree {
  key: string;
  /** Named once in a table: later rows of the same group hide the name. */
  isFirst: boolean;
  /** Null for a group without quotas of its own. */
  quota: Quota | null;
}

export function quotaRows(
  groups: readonly Group[],
  quotas: readonly Quota[],
  language: Language,
): QuotaRow[] {
  return groupTree(groups, language).flatMap((place) => rowsOf(place, quotas));
}

function rowsOf({ group, depth }: GroupInTree, quotas: readonly Quota[]): QuotaRow[] {
  const own = quotas.filter((quota) => quota.group.id === group.id).toSorted(byPoolAndResource);
  const shown: (Quota | null)[] = own.length > 0 ? own : [null];
  return shown.map((quota, index) => ({
    key: quota?.id ?? group.id,
    group,
    depth,
    isFirst: index === 0,
    quota,
  }));
}

function byPoolAndResource(a: Quota, b: Quota): number {
  const order: readonly string[] = RESOURCES;
  return (
    (a.pool?.name ?? "").localeCompare(b.pool?.name ?? "") ||
    order.indexOf(a.resource) - order.indexOf(b.resource) ||
    a.model.localeCompare(b.model)
  );
}
