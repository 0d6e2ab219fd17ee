/** Which quotas the overview shows, and how it names them. Pure. */
import type { Quota } from "@/shared/api/types";
import { RESOURCES } from "@/shared/cluster/model/quotas";

const ORDER: readonly string[] = RESOURCES;

/** Quotas that limit something, cards first. */
export function limitedOnly(quotas: readonly Quota[]): Quota[] {
  return quotas
    .filter(({ ceiling, resource }) => ceiling !== null && ORDER.includes(resource))
    .toSorted(
      (a, b) =>
        a.group.title.localeCompare(b.group.title) ||
        ORDER.indexOf(a.resource) - ORDER.indexOf(b.resource),
    );
}

/** `Vision · Cards · Training`, leaving out what goes without saying. */
export function quotaTitle(group: string | null, resource: string, pool: string | null): string {
  return [group, resource, pool].filter(Boolean).join(" · ");
}
