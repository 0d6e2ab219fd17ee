/** Every card of the cluster: places and holders, what waits for its pools, and what the cards measure. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { CardMap } from "@/shared/api/types";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import { boardsOf } from "../model/board";
import { usePools } from "./cluster";
import { useHasStrips } from "./nodes";

const PLACES = ["card-map"] as const;
const VALUES = ["card-values"] as const;
/** Nodes report all the time: the values of all of them are fetched once a second. */
const VALUES_MS = 1_000;
/** Holders of thousands of cards; a single change is shown at once. */
const PLACES_MS = 2_000;
/** Of a few hundred at most. */
const BOARD_MS = 500;
/** Work becomes idle without any event. */
const RENEW_MS = 60_000;

const cardMap = queryOptions({
  queryKey: PLACES,
  queryFn: () => unwrap(api.GET("/api/v1/card-map")),
  structuralSharing: false,
});

/** Where every card is and who holds it. */
export function useCardMap() {
  useTopics(["nodes"], [PLACES], { pauseMs: PLACES_MS });
  const fallback = useFallbackInterval();
  return useQuery({ ...cardMap, refetchInterval: fallback || RENEW_MS });
}

function withOrder(map: CardMap) {
  return { order: map.order, pools: boardsOf(map) };
}

/** The same, pool by pool with what waits for it, where the site is small enough to show each card. */
export function useBoard() {
  const hasStrips = useHasStrips();
  const pools = usePools().data ?? [];
  const topics = hasStrips ? ["nodes", ...pools.map(({ id }) => `pool:${id}`)] : [];
  useTopics(topics, [PLACES], { pauseMs: BOARD_MS });
  const fallback = useFallbackInterval();
  const board = useQuery({
    ...cardMap,
    select: withOrder,
    enabled: hasStrips,
    refetchInterval: fallback || RENEW_MS,
  });
  return { hasStrips, board };
}

/** What every card measures now, in the order of the map. */
export function useCardValues(enabled = true) {
  return useQuery({
    enabled,
    queryKey: VALUES,
    queryFn: () => unwrap(api.GET("/api/v1/card-map/values")),
    refetchInterval: useFallbackInterval(),
    structuralSharing: false,
  });
}

/** Keep the values fresh while a page shows them: once for each page, or they are fetched twice. */
export function useCardUpdates(enabled = true): void {
  useTopics(enabled ? ["cards"] : [], [VALUES], { pauseMs: VALUES_MS });
}
