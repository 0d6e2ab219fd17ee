import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval, useTopics } from "@/shared/live/live";

export type Subject = { kind: "node" | "workload"; id: string };

/** What a node or a workload used in the last hour; moves by itself as samples arrive. */
export function useTelemetry({ kind, id }: Subject) {
  const queryKey = ["telemetry", kind, id] as const;
  useTopics([`telemetry:${kind}:${id}`], [queryKey]);
  return useQuery({
    queryKey,
    queryFn: () => unwrap(api.GET("/api/v1/telemetry", { params: { query: { [kind]: id } } })),
    refetchInterval: useFallbackInterval(),
    placeholderData: keepPreviousData,
  });
}
