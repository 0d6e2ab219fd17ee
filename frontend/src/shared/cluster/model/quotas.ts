/** Quotas as people read them, and groups in the order of their tree. Pure. */
import type { Group, Quota } from "@/shared/api/types";
import { formatMemory, formatMilli } from "@/shared/i18n/format";

/** Cards first. */
export const RESOURCES = ["gpu", "gpu_memory", "cpu", "memory"] as const;
export type QuotaResource = (typeof RESOURCES)[number];

export function isInMib(resource: string): boolean {
  return resource === "gpu_memory" || resource === "memory";
}

/** An amount of a resource as it is written, without the word for the resource. */
export function formatAmount(resource: string, value: number, language: string): string {
  return isInMib(resource) ? formatMemory(value, language) : formatMilli(value, language);
}

/** How much is held above the deserved share: borrowed, and reclaimed first when others need it. */
export function overShare({ used, deserved }: Pick<Quota, "used" | "deserved">): number {
  return deserved > 0 ? Math.max(0, used - deserved) : 0;
}

/** Shares of cards in one pool: the pool's own rows and those over all pools, by group. */
export function cardShares(quotas: readonly Quota[], poolId: string): Quota[] {
  return quotas.filter(
    ({ resource, pool }) => resource === "gpu" && (pool === null || pool.id === poolId),
  );
}

export interface GroupInTree {
  group: Group;
  /** 0 for the organisation. */
  depth: number;
}

/** Depth first, children by title; groups whose parent the reader may not see are roots. */
export function groupTree(groups: readonly Group[]): GroupInTree[] {
  const known = new Set(groups.map(({ id }) => id));
  const below = (parent: string | null, depth: number): GroupInTree[] =>
    groups
      .filter((group) => parentOf(group, known) === parent)
      .toSorted((one, other) => one.title.localeCompare(other.title))
      .flatMap((group) => [{ group, depth }, ...below(group.id, depth + 1)]);
  return below(null, 0);
}

function parentOf({ parent }: Group, known: ReadonlySet<string>): string | null {
  return parent && known.has(parent) ? parent : null;
}
