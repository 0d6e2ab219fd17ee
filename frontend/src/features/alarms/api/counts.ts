/** How many alarms concern the reader; apart from the rest, because every page loads it. */
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval, useTopics } from "@/shared/live/live";

const COUNTS = ["alarms", "counts"] as const;

export function useAlarmCounts() {
  useTopics(["alarms"], [COUNTS]);
  return useQuery({
    queryKey: COUNTS,
    queryFn: () => unwrap(api.GET("/api/v1/alarms/counts")),
    refetchInterval: useFallbackInterval(),
  });
}
