import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Telemetry } from "@/shared/api/types";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import { joinTail, type Subject, tailBegin } from "../model/charts";
import { pauseOf, type Range, type Run, spanOfRange, writeRange } from "../model/ranges";

/** What a subject used in a time range; its end moves by itself as samples arrive. */
export function useTelemetry(subject: Subject, range: Range, run: Run | null) {
  const client = useQueryClient();
  const { kind, id } = subject;
  const queryKey = ["telemetry", kind, id, writeRange(range), range === "run" && run] as const;
  const isPast = typeof range !== "string" || Boolean(range === "run" && run?.until);
  useTopics(isPast ? [] : [topicOf(subject)], [queryKey], pauseFor(subject, range));
  const every = useFallbackInterval();
  return useQuery({
    queryKey,
    queryFn: async () => {
      const span = spanOfRange(range, run, new Date());
      const old = client.getQueryData<Telemetry>(queryKey);
      return (old && (await withTail(subject, old, span))) ?? ask(subject, span);
    },
    refetchInterval: isPast ? false : every,
    placeholderData: keepPreviousData,
  });
}

interface Asked {
  since: string;
  until?: string;
  step_s?: number;
}

function ask({ kind, id }: Subject, span: Asked): Promise<Telemetry> {
  const subject = kind === "cluster" ? { cluster: "true" as const } : { [kind]: id };
  return unwrap(api.GET("/api/v1/telemetry", { params: { query: { ...subject, ...span } } }));
}

/** Only the last steps are fetched again; null when they do not continue what is known. */
async function withTail(subject: Subject, old: Telemetry, span: Asked): Promise<Telemetry | null> {
  const since = Date.parse(span.since);
  const begin = tailBegin(old, since);
  if (begin === null || span.until) return null;
  const asked = { since: new Date(begin).toISOString(), step_s: old.step_s };
  return joinTail(old, await ask(subject, asked), since);
}

function topicOf({ kind, id }: Subject): string {
  return kind === "node" || kind === "workload" ? `telemetry:${kind}:${id}` : "cards";
}

/** Pools are added up by the minute, however often their cards report. */
const POOL_MS = 30_000;

function pauseFor({ kind }: Subject, range: Range): number {
  const isPool = kind === "pool" || kind === "cluster";
  return isPool ? Math.max(POOL_MS, pauseOf(range)) : pauseOf(range);
}
