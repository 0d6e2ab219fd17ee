import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Telemetry } from "@/shared/api/types";
import type { Subject } from "../model/charts";
import { type Range, type Run, spanOfRange, writeRange } from "../model/ranges";
import { joinTail, pauseOf, tailBegin } from "../model/tail";

/** An answer with its tag, by which the server says that there is nothing new. */
interface TaggedAnswer extends Telemetry {
  tag: string | null;
}

/** What a subject used in a time range; while its end moves, its last steps are asked for again. */
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
  return useQuery({
    queryKey,
    queryFn: async () => {
      const span = spanOfRange(range, run, new Date());
      const old = client.getQueryData<TaggedAnswer>(queryKey);
      return (old && (await withTail(subject, old, span))) ?? (await ask(subject, span));
    },
    refetchInterval: ({ state }) => !isPast && pauseOf(kind, state.data),
    placeholderData: keepPreviousData,
  });
}

interface Asked {
  since: string;
  until?: string;
  step_s?: number;
}

/** What the server has, or what is known if that is the same. */
async function ask(subject: Subject, span: Asked, known?: TaggedAnswer): Promise<TaggedAnswer> {
  const { kind, id } = subject;
  const first_rank = firstRankOf(subject);
  const query = {
    ...(kind === "cluster" ? { cluster: "true" as const } : { [kind]: id }),
    ...(first_rank > 0 && { first_rank }),
    ...span,
  };
  const headers = known?.tag ? { "If-None-Match": known.tag } : {};
  const call = api.GET("/api/v1/telemetry", { params: { query }, headers });
  const { response } = await call;
  if (known && response.status === 304) return known;
  return { ...(await unwrap(call)), tag: response.headers.get("ETag") };
}

function firstRankOf(subject: Subject): number {
  return (subject.kind === "workload" && subject.firstRank) || 0;
}

/** A stored answer with its last steps as they are now; null when these do not continue what is known. */
async function withTail(
  subject: Subject,
  old: TaggedAnswer,
  span: Asked,
): Promise<TaggedAnswer | null> {
  const since = Date.parse(span.since);
  const begin = tailBegin(old, since);
  if (begin === null || span.until) return null;
  const asked = { since: new Date(begin).toISOString(), step_s: old.step_s };
  const tail = await ask(subject, asked, old);
  return tail === old ? old : joinTail(old, tail, since);
}
