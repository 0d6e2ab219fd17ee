/** One's own work: how much of its GPUs it uses now, and what has ended since the last visit. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, unwrap } from "@/shared/api/client";
import type { Workload } from "@/shared/api/types";
import { useWorkloads } from "@/shared/workload/api/workloads";
import { endedIn, nextVisit, readVisit, sinceOf } from "../model/overview";

const USE_MS = 60_000;

/** The last hour of the GPUs of running work, by its id; nothing is asked where none runs. */
export function useGpuUse(running: readonly Workload[]) {
  const ids = running.map(({ id }) => id).toSorted();
  return useQuery({
    enabled: ids.length > 0,
    queryKey: ["overview", "gpu-use", ids] as const,
    queryFn: () => {
      const querySerializer = { array: { style: "form", explode: false } } as const;
      return unwrap(
        api.GET("/api/v1/telemetry/work-use", { params: { query: { ids } }, querySerializer }),
      );
    },
    select: ({ uses }) => new Map(uses.map(({ workload, use_pct }) => [workload, use_pct])),
    refetchInterval: USE_MS,
  }).data;
}

const KEY = "berth.visit";

/** What of mine has ended since I was here before, and at least in the last 24 hours; the newest first. */
export function useEndedWork(group: string | null | undefined) {
  const [visit] = useState(() => nextVisit(readVisit(localStorage.getItem(KEY)), Date.now()));
  useEffect(() => localStorage.setItem(KEY, JSON.stringify(visit)), [visit]);
  const since = new Date(sinceOf(visit)).toISOString();
  const rows = useWorkloads({ owner: "me", ended_since: since, ...(group && { group }) });
  return { since, ended: endedIn(rows.data ?? []), isPending: rows.isPending };
}
