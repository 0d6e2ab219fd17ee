import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import { type Range, type Run, spanOfRange } from "../model/ranges";

export type Subject = { kind: "node" | "workload"; id: string };

/** Long ranges change little with each sample: they are fetched once in this time. */
const GATHER_MS: Record<Range, number> = { run: 1_000, hour: 100, day: 30_000, week: 120_000 };

/** What a node or a workload used in a time range; moves by itself as samples arrive. */
export function useTelemetry({ kind, id }: Subject, range: Range, run: Run | null) {
  const queryKey = ["telemetry", kind, id, range, range === "run" && run] as const;
  useTopics([`telemetry:${kind}:${id}`], [queryKey], GATHER_MS[range]);
  return useQuery({
    queryKey,
    queryFn: () => {
      const span = spanOfRange(range, run, new Date());
      return unwrap(api.GET("/api/v1/telemetry", { params: { query: { [kind]: id, ...span } } }));
    },
    refetchInterval: useFallbackInterval(),
    placeholderData: keepPreviousData,
  });
}
