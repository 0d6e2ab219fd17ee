/** What the overview of the cluster says, made ready for its rows. Pure. */
import type { Overview, PoolUse, QueuedCount, RecentUse, Waits } from "@/shared/api/types";
import {
  type CardStatus,
  countCards,
  type MapCard,
  type PoolBoard,
} from "@/shared/cluster/model/board";

type PoolTotals = Record<
  "gpus_total" | "gpus_held" | "gpus_free" | "gpus_lost" | "gpus_out" | "waiting",
  number
>;

/** The GPUs of all pools: each is held, free, lost or out of service. */
export function totalsOf(pools: readonly PoolFigures[]): PoolTotals {
  const totals: PoolTotals = {
    gpus_total: 0,
    gpus_held: 0,
    gpus_free: 0,
    gpus_lost: 0,
    gpus_out: 0,
    waiting: 0,
  };
  for (const pool of pools) {
    for (const name of Object.keys(totals) as (keyof PoolTotals)[]) totals[name] += pool[name];
  }
  return totals;
}

/** A pool as its row says it; with its cards, the numbers are those of the cards that are drawn. */
export interface PoolFigures extends PoolUse {
  waiting: number;
  cards: readonly MapCard[] | null;
}

/** The pools of the board, or where that is too large, as the server has counted them. */
export function figuresOf(
  pools: readonly PoolUse[],
  boards: readonly PoolBoard[] | undefined,
  waits: Pick<Waits, "by_pool">,
): PoolFigures[] {
  return pools.map((use) => {
    const board = boards?.find(({ id }) => id === use.pool.id);
    if (!board) return { ...use, waiting: waitingIn(use.pool, waits), cards: null };
    const { cards, waiting } = board;
    const inStatus = (wanted: CardStatus) => cards.filter(({ status }) => status === wanted).length;
    const { isCut, total, free } = countCards(cards);
    return {
      ...use,
      waiting,
      cards,
      gpus_total: cards.length,
      gpus_held: inStatus("held"),
      gpus_free: inStatus("free"),
      gpus_lost: inStatus("lost"),
      gpus_out: inStatus("out"),
      slices_total: isCut ? total : 0,
      slices_free: isCut ? free : 0,
    };
  });
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
function waitingIn({ id }: PoolUse["pool"], { by_pool }: Pick<Waits, "by_pool">): number {
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

/** Where something can be done about a reason for which work waits. */
export function remedyOf(code: string) {
  if (code.includes("budget") || code.includes("quota") || code.startsWith("over_deserved")) {
    return { to: "/quotas", act: "raise" } as const;
  }
  if (OF_NODES.includes(code)) return { to: "/nodes", act: "nodes" } as const;
  if (OF_POLICY.includes(code)) return { to: "/policies", act: "policy" } as const;
  return { to: "/queue", act: "queue" } as const;
}

const OF_NODES = [
  "node_unavailable",
  "home_unavailable",
  "builder_unavailable",
  "pool_has_no_nodes_yet",
  "no_matching_model",
  "isolation_unavailable",
  "dataset_unavailable",
];
const OF_POLICY = ["pool_closed", "protected_run_time", "waiting_for_calendar", "behind_open_end"];
