/** What a list's address remembers, and what it asks the server for. Pure. */
import type { WorkloadFilters } from "../api/workloads";

export const SHOWN = ["active", "ended", "all"] as const;
export type Shown = (typeof SHOWN)[number];

export interface ListSearch {
  /** Absent means active work. */
  show?: Shown | undefined;
  /** Absent means all work that I may see. */
  mine?: true | undefined;
  q?: string | undefined;
}

const QUERY_MAX = 63;

export function readListSearch(search: Record<string, unknown>): ListSearch {
  const show = SHOWN.find((name) => name === search.show && name !== "active");
  const q = typeof search.q === "string" ? search.q.slice(0, QUERY_MAX) : "";
  return {
    ...(show && { show }),
    ...(search.mine === true && { mine: true as const }),
    ...(q && { q }),
  };
}

export function filtersOf(
  kind: "environment" | "training",
  { show = "active", mine, q }: ListSearch,
  group: string | null,
): WorkloadFilters {
  return {
    kind,
    ...(kind === "training" && { collapsed: true }),
    ...(show !== "all" && { active: show === "active" }),
    ...(mine && { owner: "me" as const }),
    ...(group && { group }),
    ...(q && { search: q }),
  };
}

export function isFiltered({ show, mine, q }: ListSearch): boolean {
  return Boolean(show ?? mine ?? q);
}
