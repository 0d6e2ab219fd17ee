/** Which work and which quotas the first page shows, and since when its reader was away. Pure. */

import type { Quota, Workload } from "@/shared/api/types";
import { RESOURCES } from "@/shared/cluster/model/quotas";
import { type Language, titleOf } from "@/shared/i18n/language";
import { isTerminal } from "@/shared/workload/model/lifecycle";

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

/** Whether it holds GPUs or parts of one, so that there is a use to show. */
export function usesGpu({ gpus, slices, gpu_milli }: Workload): boolean {
  return gpus > 0 || slices > 0 || gpu_milli > 0;
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

/** Moments in milliseconds. */
export interface Visit {
  /** When the present visit was last seen. */
  at: number;
  /** The end of the visit before; null on the first one. */
  before: number | null;
}

const MINUTE_MS = 60_000;
/** Away for less, one is still here. */
const AWAY_MS = 30 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MOST_MS = 14 * DAY_MS;

export function readVisit(stored: string | null): Visit | null {
  try {
    const { at, before } = JSON.parse(stored ?? "null") ?? {};
    return Number.isFinite(at) ? { at, before: Number.isFinite(before) ? before : null } : null;
  } catch {
    return null;
  }
}

/** The visit that goes on, or a new one. */
export function nextVisit(known: Visit | null, now: number): Visit {
  const isNew = known !== null && now - known.at > AWAY_MS;
  return { at: now, before: isNew ? known.at : (known?.before ?? null) };
}

/** From when on what has ended is shown: since the visit before, at least a day and at most two weeks. */
export function sinceOf({ at, before }: Visit): number {
  return Math.max(Math.min(before ?? at, at - DAY_MS), at - MOST_MS);
}

/** What is over for good, the newest end first. */
export function endedIn(rows: readonly Workload[]): Workload[] {
  return rows
    .filter(({ state, finished_at }) => isTerminal(state) && finished_at !== null)
    .toSorted(
      (one, other) => Date.parse(other.finished_at ?? "") - Date.parse(one.finished_at ?? ""),
    );
}
