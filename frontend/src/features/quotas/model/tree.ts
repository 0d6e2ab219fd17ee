/** Groups as a tree, each with its quotas, as the rows of a table. Pure. */
import type { Group, Quota } from "@/shared/api/types";
import { RESOURCES } from "@/shared/cluster/model/quotas";

export interface QuotaRow {
  key: string;
  group: Group;
  /** 0 for the organisation. */
  depth: number;
  /** Named once: later rows of the same group leave the name out. */
  isFirst: boolean;
  /** Null for a group without quotas of its own. */
  quota: Quota | null;
}

/** Depth first, children by title; groups whose parent the reader may not see are roots. */
export function quotaRows(groups: readonly Group[], quotas: readonly Quota[]): QuotaRow[] {
  const known = new Set(groups.map(({ id }) => id));
  const childrenOf = (parent: string | null) =>
    groups
      .filter((group) => parentOf(group, known) === parent)
      .toSorted((a, b) => a.title.localeCompare(b.title));
  const below = (parent: string | null, depth: number): QuotaRow[] =>
    childrenOf(parent).flatMap((group) => [
      ...rowsOf(group, depth, quotas),
      ...below(group.id, depth + 1),
    ]);
  return below(null, 0);
}

function parentOf({ parent }: Group, known: ReadonlySet<string>): string | null {
  return parent && known.has(parent) ? parent : null;
}

function rowsOf(group: Group, depth: number, quotas: readonly Quota[]): QuotaRow[] {
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
