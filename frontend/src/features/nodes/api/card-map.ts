/** Every card of the cluster: places and holders, and what they measure. */
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval, useTopics } from "@/shared/live/live";

const PLACES = ["card-map"] as const;
const VALUES = ["card-values"] as const;
/** Nodes report all the time: the values of all of them are fetched once a second. */
const VALUES_MS = 1_000;
/** Holders of thousands of cards; a single change is shown at once. */
const PLACES_MS = 2_000;
/** Work becomes idle without any event. */
const RENEW_MS = 60_000;

/** Where every card is and who holds it. */
export function useCardMap() {
  useTopics(["nodes"], [PLACES], { pauseMs: PLACES_MS });
  const fallback = useFallbackInterval();
  return useQuery({
    queryKey: PLACES,
    queryFn: () => unwrap(api.GET("/api/v1/card-map")),
    refetchInterval: fallback || RENEW_MS,
    structuralSharing: false,
  });
}

/** What every card measures now, in the order of the map. */
export function useCardValues() {
  return useQuery({
    queryKey: VALUES,
    queryFn: () => unwrap(api.GET("/api/v1/card-map/values")),
    refetchInterval: useFallbackInterval(),
    structuralSharing: false,
  });
}

/** Keep the values fresh while a page shows them: once for each page, or they are fetched twice. */
export function useCardUpdates(): void {
  useTopics(["cards"], [VALUES], { pauseMs: VALUES_MS });
}
