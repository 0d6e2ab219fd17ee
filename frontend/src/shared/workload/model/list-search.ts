/** What a list's address remembers, and what it asks the server for. Pure. */
import { KINDS } from "@/shared/api/kinds.gen";
import type { Workload, WorkloadState } from "@/shared/api/types";
import { momentAt } from "@/shared/i18n/clock";
import { parseSort } from "@/shared/lists/model/table";
import type { ListOrdering, WorkloadFilters } from "../api/workloads";

export const SHOWN = ["active", "ended", "all"] as const;
export type Shown = (typeof SHOWN)[number];

export const WORK_STATES: readonly WorkloadState[] = [
  "queued",
  "placing",
  "starting",
  "running",
  "stopping",
  "suspended",
  "succeeded",
  "failed",
  "cancelled",
  "expired",
];

/** Columns by which the server sorts, and its names for them. */
const SORTS = { name: "name", state: "state", submitted: "submitted_at" } as const;
export const SORT_KEYS: readonly string[] = Object.keys(SORTS);

export interface ListSearch {
  /** Absent means active work. */
  show?: Shown | undefined;
  /** Absent means all work that I may see. */
  mine?: true | undefined;
  q?: string | undefined;
  state?: WorkloadState | undefined;
  /** The id of a pool. */
  pool?: string | undefined;
  /** A user name. */
  owner?: string | undefined;
  /** The name of a model of GPUs. */
  model?: string | undefined;
  tag?: string | undefined;
  /** Only work whose owner may not submit any more. */
  left?: true | undefined;
  /** Days, the first and the last: `2026-11-23`. */
  since?: string | undefined;
  until?: string | undefined;
  sort?: string | undefined;
}

const ID = /^[0-9a-f-]{36}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Letters of each word that may be any text. */
const LETTERS = { q: 63, owner: 150, model: 100, tag: 32 } as const;

export function readListSearch(search: Record<string, unknown>): ListSearch {
  const show = SHOWN.find((name) => name === search.show && name !== "active");
  const state = WORK_STATES.find((name) => name === search.state);
  const [pool, since, until] = [textOf(search.pool), dayOf(search.since), dayOf(search.until)];
  return {
    ...(show && { show }),
    ...(search.mine === true && { mine: true as const }),
    ...(search.left === true && { left: true as const }),
    ...textsIn(search),
    ...(state && { state }),
    ...(ID.test(pool) && { pool }),
    ...(since && { since }),
    ...(until && { until }),
    ...(parseSort(search.sort) && { sort: textOf(search.sort) }),
  };
}

function textsIn(search: Record<string, unknown>): ListSearch {
  const found = Object.entries(LETTERS).map(([name, max]) => [
    name,
    textOf(search[name]).slice(0, max),
  ]);
  return Object.fromEntries(found.filter(([, text]) => text));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function dayOf(value: unknown): string {
  return DAY.test(textOf(value)) && !Number.isNaN(Date.parse(textOf(value))) ? textOf(value) : "";
}

export function filtersOf(
  kind: Workload["kind"],
  search: ListSearch,
  group: string | null,
): WorkloadFilters {
  const { show = "active", mine, q, state } = search;
  const ordering = orderingOf(search.sort);
  return {
    kind,
    ...(KINDS[kind].runs_to_end && { collapsed: true }),
    // A state says itself whether work has ended.
    ...(show !== "all" && !state && { active: show === "active" }),
    ...(mine && { owner: "me" as const }),
    ...(group && { group }),
    ...(q && { search: q }),
    ...(state && { state }),
    ...narrowedBy(search),
    ...(ordering && { ordering }),
  };
}

function narrowedBy({ pool, owner, model, tag, left, since, until }: ListSearch): WorkloadFilters {
  return {
    ...(pool && { pool }),
    ...(owner && { owner_name: owner }),
    ...(model && { gpu_model: model }),
    ...(tag && { tag }),
    ...(left && { owner_left: true }),
    ...(since && { since: beginOf(since, 0) }),
    ...(until && { until: beginOf(until, 1) }),
  };
}

function orderingOf(text: string | undefined): ListOrdering | null {
  const sort = parseSort(text);
  const name = sort && sort.key in SORTS ? SORTS[sort.key as keyof typeof SORTS] : null;
  return name && (`${sort?.isDescending ? "-" : ""}${name}` as ListOrdering);
}

/** When a day, or a later one, begins on the reader's clock. */
function beginOf(day: string, later: number): string {
  const date = new Date(`${day}T00:00Z`);
  date.setUTCDate(date.getUTCDate() + later);
  return momentAt(date.toISOString().slice(0, 16)).toISOString();
}

/** Whether an empty list may be the filters' doing. */
export function isFiltered({ sort: _, ...filters }: ListSearch): boolean {
  return Object.values(filters).some(Boolean);
}
