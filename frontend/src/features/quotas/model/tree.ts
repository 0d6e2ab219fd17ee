/** Groups as a tree, each with its quotas, as the rows of a table. Pure. */
import type { Group, Quota } from "@/shared/api/types";
import { type GroupInTree, groupTree, RESOURCES } from "@/shared/cluster/model/quotas";

export interface QuotaRow extends GroupInTree {
  key: string;
  /** Named once: later rows of the same group leave the name out. */
  isFirst: boolean;
  /** Null for a group without quotas of its own. */
  quota: Quota | null;
}

export function quotaRows(groups: readonly Group[], quotas: readonly Quota[]): QuotaRow[] {
  return groupTree(groups).flatMap((place) => rowsOf(place, quotas));
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
    order.indexOf(a.resource) - order.indexOf(b.resource)
  );
}
