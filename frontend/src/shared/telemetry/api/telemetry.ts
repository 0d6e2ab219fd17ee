import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api, unwrap } from "@/shared/api/client";
import type { Telemetry } from "@/shared/api/types";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import type { NewPoints } from "@/shared/live/socket";
import { RANKS_MAX, type Subject } from "../model/charts";
import { pauseOf, type Range, type Run, spanOfRange, writeRange } from "../model/ranges";
import { addPoints, joinTail, tailBegin } from "../model/tail";

/** Pushes that wait for an answer; of more than these it is asked for again. */
const MEANWHILE_MAX = 32;

/**
 * What a subject used in a time range; its end moves by itself. New points are pushed and added; only
 * what they do not continue is asked for.
 */
export function useTelemetry(subject: Subject, range: Range, run: Run | null) {
  const client = useQueryClient();
  const { kind, id } = subject;
  const rank = firstRankOf(subject);
  const queryKey = [
    "telemetry",
    kind,
    id,
    rank,
    writeRange(range),
    range === "run" && run,
  ] as const;
  const isPast = typeof range !== "string" || Boolean(range === "run" && run?.until);
  // Those that came while an answer was on its way, which may be older than they are.
  const meanwhile = useRef<NewPoints[]>([]);
  const sinceOf = () => Date.parse(spanOfRange(range, run, new Date()).since);
  const every = useFallbackInterval();
  const query = useQuery({
    queryKey,
    queryFn: async () => {
      meanwhile.current = [];
      const span = spanOfRange(range, run, new Date());
      const old = client.getQueryData<Telemetry>(queryKey);
      const answer = (old && (await withTail(subject, old, span))) ?? (await ask(subject, span));
      return meanwhile.current.reduce(
        (data, points) => addPoints(data, points, sinceOf()) ?? data,
        answer,
      );
    },
    refetchInterval: isPast ? false : every,
    placeholderData: keepPreviousData,
  });
  const take = (all: NewPoints) => {
    const points = pointsFor(subject, all);
    const state = client.getQueryState<Telemetry>(queryKey);
    const isAsking = state?.fetchStatus === "fetching";
    if (isAsking) meanwhile.current = [...meanwhile.current, points].slice(-MEANWHILE_MAX);
    const data = state?.data && addPoints(state.data, points, sinceOf());
    if (data) client.setQueryData(queryKey, data);
    return Boolean(data) || isAsking;
  };
  const shown = query.isPlaceholderData ? undefined : query.data;
  useTopics(isPast ? [] : [topicOf(subject)], [queryKey], {
    pauseMs: pauseFor(subject, range, shown),
    take,
  });
  return query;
}

interface Asked {
  since: string;
  until?: string;
  step_s?: number;
}

function ask(subject: Subject, span: Asked): Promise<Telemetry> {
  const { kind, id } = subject;
  const first_rank = firstRankOf(subject);
  const query = {
    ...(kind === "cluster" ? { cluster: "true" as const } : { [kind]: id }),
    ...(first_rank > 0 && { first_rank }),
    ...span,
  };
  return unwrap(api.GET("/api/v1/telemetry", { params: { query } }));
}

function firstRankOf(subject: Subject): number {
  return (subject.kind === "workload" && subject.firstRank) || 0;
}

/** Only the last steps are fetched again; null when they do not continue what is known. */
async function withTail(subject: Subject, old: Telemetry, span: Asked): Promise<Telemetry | null> {
  const since = Date.parse(span.since);
  const begin = tailBegin(old, since);
  if (begin === null || span.until) return null;
  const asked = { since: new Date(begin).toISOString(), step_s: old.step_s };
  return joinTail(old, await ask(subject, asked), since);
}

function topicOf(subject: Subject): string {
  if (subject.kind === "card") return `telemetry:node:${subject.node}`;
  const { kind, id } = subject;
  return kind === "node" || kind === "workload" ? `telemetry:${kind}:${id}` : "cards";
}

/** Of one card's chart those of the other cards of its node are not, nor those of ranks not shown. */
function pointsFor(subject: Subject, points: NewPoints): NewPoints {
  const rank = firstRankOf(subject);
  const isShown = {
    card: ({ id }: { id: string }) => id === subject.id,
    workload: (one: { subject: string }) =>
      Number(one.subject) >= rank && Number(one.subject) < rank + RANKS_MAX,
    node: () => true,
    pool: () => true,
    cluster: () => true,
  }[subject.kind];
  return { ...points, series: points.series.filter(isShown) };
}

/** Pools are added up by the minute, however often their cards report. */
const POOL_MS = 30_000;
/** Steps too long for new points change little with each. */
const PARTS_OF_STEP = 5;

function pauseFor({ kind }: Subject, range: Range, data?: Telemetry): number {
  const isPool = kind === "pool" || kind === "cluster";
  const ofStep = data && !data.tail ? (1000 * data.step_s) / PARTS_OF_STEP : 0;
  return Math.max(isPool ? POOL_MS : ofStep, pauseOf(range));
}
