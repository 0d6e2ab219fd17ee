/** The cluster, or the groups that I look after, at a glance. */
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { usePools } from "@/shared/cluster/api/cluster";
import { useCardUpdates, useCardValues } from "@/shared/cluster/api/nodes";
import type { MapCard } from "@/shared/cluster/model/board";
import { useFallbackInterval, useTopics } from "@/shared/live/live";

const NOW = ["operations", "now"] as const;
const WAITS = ["operations", "waits"] as const;
const LIMITS = ["operations", "limits"] as const;
const DAY = ["operations", "day"] as const;
const RECENT = ["operations", "recent"] as const;
/** Many changes at once cause one answer in so long; a single one is shown at once. */
const PAUSE_MS = 5_000;
/** Shades of a board change little; the map shows each second. */
const USE_MS = 10_000;
/** Idleness and ages go on without any event. */
const RENEW_MS = 60_000;

/** What is not well and who holds what; renewed when nodes, queues or alarms change. */
export function useOverview() {
  const pools = usePools().data ?? [];
  useTopics(["nodes", "alarms", ...pools.map(({ id }) => `pool:${id}`)], [NOW], {
    pauseMs: PAUSE_MS,
  });
  const fallback = useFallbackInterval();
  return useQuery({
    queryKey: NOW,
    queryFn: () => unwrap(api.GET("/api/v1/overview")),
    refetchInterval: fallback || RENEW_MS,
  });
}

/** Who waits and why; renewed when queues change. */
export function useQueueWaits() {
  const pools = usePools().data ?? [];
  useTopics(
    pools.map(({ id }) => `pool:${id}`),
    [WAITS],
    { pauseMs: PAUSE_MS },
  );
  const fallback = useFallbackInterval();
  return useQuery({
    queryKey: WAITS,
    queryFn: () => unwrap(api.GET("/api/v1/overview/waits")),
    refetchInterval: fallback || RENEW_MS,
  });
}

/** What is near its limit: it comes near slowly. */
export function useNearLimits() {
  return useQuery({
    queryKey: LIMITS,
    queryFn: () => unwrap(api.GET("/api/v1/overview/near-limits")),
    refetchInterval: RENEW_MS,
  });
}

/** The last 24 hours as curves. */
export function useDay() {
  return useQuery({
    queryKey: DAY,
    queryFn: () => unwrap(api.GET("/api/v1/overview/day")),
    refetchInterval: RENEW_MS,
  });
}

/** The last 24 hours and those before them. */
export function useRecentDays() {
  return useQuery({
    queryKey: RECENT,
    queryFn: () => unwrap(api.GET("/api/v1/overview/recent")),
    refetchInterval: RENEW_MS,
  });
}

/** How much of each card of a board is used now, from 0 to 1; null where that is not measured. */
export function useCardUse(order: string | undefined): (card: MapCard) => number | null {
  const hasBoard = order !== undefined;
  useCardUpdates(USE_MS, hasBoard);
  const values = useCardValues(hasBoard).data;
  return ({ at }) => {
    const percent = values && values.order === order ? values.utilisation_pct[at] : null;
    return typeof percent === "number" ? percent / 100 : null;
  };
}
