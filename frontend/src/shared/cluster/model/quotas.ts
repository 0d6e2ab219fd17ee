/** Quotas as people read them, and groups in the order of their tree. Pure. */

import type { Group, Pool, Quota } from "@/shared/api/types";
import { formatGpus, formatMemory, formatMilli } from "@/shared/i18n/format";
import { type Language, titleOf } from "@/shared/i18n/language";

/** GPUs first. */
export const RESOURCES = ["gpu", "gpu_memory", "cpu", "memory"] as const;
export type QuotaResource = (typeof RESOURCES)[number];

export function isInMib(resource: string): boolean {
  return resource === "gpu_memory" || resource === "memory";
}

/** An amount of a resource as it is written, without the word for the resource. */
export function formatAmount(resource: string, value: number, language: string): string {
  if (isInMib(resource)) return formatMemory(value, language);
  return resource === "gpu" ? formatGpus(value, language) : formatMilli(value, language);
}

/** How many slices of a pool make up this part of one GPU; 0 where it is none or no such part. */
export function slicesIn(
  milli: number,
  pool: Pick<Pool, "mode" | "slices_per_card"> | undefined,
): number {
  if (pool?.mode !== "shared" || milli <= 0 || milli >= 1000) return 0;
  const slices = (milli * pool.slices_per_card) / 1000;
  return Number.isInteger(slices) ? slices : 0;
}

/** How much is held above the deserved share: borrowed, and reclaimed first when others need it. */
export function overShare({ used, deserved }: Pick<Quota, "used" | "deserved">): number {
  return deserved > 0 ? Math.max(0, used - deserved) : 0;
}

/** GPU quotas that hold in one pool: the pool's own rows and those over all pools, by group. */
export function gpuShares(quotas: readonly Quota[], poolId: string): Quota[] {
  return quotas.filter(
    ({ resource, model, pool }) =>
      resource === "gpu" && model === "" && (pool === null || pool.id === poolId),
  );
}

export interface GroupInTree {
  group: Group;
  /** 0 for the organisation. */
  depth: number;
}

/** Depth first, children by title; groups whose parent the reader may not see are roots. */
export function groupTree(groups: readonly Group[], language: Language): GroupInTree[] {
  const known = new Set(groups.map(({ id }) => id));
  const below = (parent: string | null, depth: number): GroupInTree[] =>
    groups
      .filter((group) => parentOf(group, known) === parent)
      .toSorted((one, other) => titleOf(one, language).localeCompare(titleOf(other, language)))
      .flatMap((group) => [{ group, depth }, ...below(group.id, depth + 1)]);
  return below(null, 0);
}

function parentOf({ parent }: Group, known: ReadonlySet<string>): string | null {
  return parent && known.has(parent) ? parent : null;
}
