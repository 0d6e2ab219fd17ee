/** Which work and which quotas the first page shows. Pure. */

import type { Quota, Workload } from "@/shared/api/types";
import { RESOURCES } from "@/shared/cluster/model/quotas";
import { type Language, titleOf } from "@/shared/i18n/language";

const SHOWN_MAX = 8;

/** Running work, newest first; then what is on its way, the next to start first. */
export function glanceOf(running: readonly Workload[], active: readonly Workload[]) {
  const ids = new Set(running.map(({ id }) => id));
  const coming = active
    .filter(({ id }) => !ids.has(id))
    .toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0));
  const all = [...running, ...coming];
  return { shown: all.slice(0, SHOWN_MAX), hasMore: all.length > SHOWN_MAX };
}

const ORDER: readonly string[] = RESOURCES;

/** Quotas that limit something, GPUs first. */
export function limitedOnly(quotas: readonly Quota[], language: Language): Quota[] {
  return quotas
    .filter(({ ceiling, resource }) => ceiling !== null && ORDER.includes(resource))
    .toSorted(
      (a, b) =>
        titleOf(a.group, language).localeCompare(titleOf(b.group, language)) ||
        ORDER.indexOf(a.resource) - ORDER.indexOf(b.resource),
    );
}

/** `Vision · GPUs · Training`, without the parts that are null. */
export function quotaTitle(group: string | null, resource: string, pool: string | null): string {
  return [group, resource, pool].filter(Boolean).join(" · ");
}
