/** What the overview of the cluster says, made ready for its rows. Pure. */
import type { Overview, PoolUse, QueuedCount, RecentUse, Waits } from "@/shared/api/types";

type PoolTotals = Record<"gpus_total" | "gpus_held" | "gpus_free" | "gpus_out", number>;

/** The GPUs of all pools: each is held, free or out of service. */
export function totalsOf(pools: readonly PoolUse[]): PoolTotals {
  const totals: PoolTotals = { gpus_total: 0, gpus_held: 0, gpus_free: 0, gpus_out: 0 };
  for (const pool of pools) {
    for (const name of Object.keys(totals) as (keyof PoolTotals)[]) totals[name] += pool[name];
  }
  return totals;
}

/** Why what is free in a pool is not used: the reasons for which most waits there. */
export function reasonsIn(
  { pool, gpus_free, slices_free }: PoolUse,
  waits: readonly QueuedCount[],
): QueuedCount[] {
  if (gpus_free === 0 && slices_free === 0) return [];
  return waits.filter((row) => row.pool.id === pool.id).slice(0, 2);
}

/** How much waits in a pool. */
export function waitingIn({ id }: PoolUse["pool"], { by_pool }: Pick<Waits, "by_pool">): number {
  return by_pool.find(({ pool }) => pool.id === id)?.count ?? 0;
}

/** A part of a whole in percent; null of nothing. */
export function partOf(part: number, whole: number): number | null {
  return whole > 0 ? (100 * part) / whole : null;
}

/** How much more than before, in percent; null where nothing was before. */
export function changePct(last: number | null, before: number | null): number | null {
  if (last === null || before === null || before === 0) return null;
  return (100 * (last - before)) / before;
}

const MILLI_S_PER_HOUR = 3_600_000;

type RecentAmount = {
  kind: "hours" | "percent" | "count" | "seconds";
  last: number | null;
  before: number | null;
};

/** The rows of the last 24 hours, each beside the 24 hours before. */
export function recentRows(last: RecentUse, before: RecentUse): Record<RecentFigure, RecentAmount> {
  const pair = (
    kind: RecentAmount["kind"],
    read: (use: RecentUse) => number | null,
  ): RecentAmount => ({
    kind,
    last: read(last),
    before: read(before),
  });
  // What was not measured is unknown, and not zero.
  const measured = (milliS: (use: RecentUse) => number) =>
    pair("hours", (use) => (use.sampled_milli_s > 0 ? milliS(use) / MILLI_S_PER_HOUR : null));
  const ended = (outcome: string) => pair("count", (use) => use.ended[outcome] ?? 0);
  return {
    held: pair("hours", (use) => use.gpu_milli_s / MILLI_S_PER_HOUR),
    used: measured((use) => use.busy_milli_s),
    idle: measured((use) => use.idle_milli_s),
    utilisation: pair("percent", (use) => partOf(use.busy_milli_s, use.sampled_milli_s)),
    started: pair("count", (use) => use.started),
    waitHalf: pair("seconds", (use) => use.wait_p50_s),
    waitMost: pair("seconds", (use) => use.wait_p95_s),
    completed: ended("completed"),
    failed: ended("failed"),
    preempted: ended("preempted"),
    lost: ended("lost"),
    stopped: ended("stopped"),
  };
}

export const RECENT_FIGURES = [
  "held",
  "used",
  "utilisation",
  "idle",
  "started",
  "waitHalf",
  "waitMost",
  "completed",
  "failed",
  "preempted",
  "lost",
  "stopped",
] as const;
export type RecentFigure = (typeof RECENT_FIGURES)[number];

/** The largest of some holders, to draw the others beside it. */
export function largestOf(holders: readonly { gpu_milli: number }[]): number {
  return Math.max(1, ...holders.map(({ gpu_milli }) => gpu_milli));
}

/** Whether nothing at all needs anybody. */
export function isWell({ problems }: Pick<Overview, "problems">): boolean {
  return problems.every(({ severity }) => severity === "info");
}
