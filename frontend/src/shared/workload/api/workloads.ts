/** Work of every kind: lists, events, advice, dry runs and the way into what runs. */
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import { KINDS } from "@/shared/api/kinds.gen";
import { isRetryable } from "@/shared/api/problem";
import type { operations } from "@/shared/api/schema.gen";
import type { DryRunInput, Workload, WorkloadDetail, WorkloadState } from "@/shared/api/types";
import { useGroups, usePools } from "@/shared/cluster/api/cluster";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import { useMe } from "@/shared/session/me";
import { isStaff } from "@/shared/session/roles";
import { submittedKind } from "../model/kinds";
import type { ChangedValues } from "../model/ways-out";

/** Query keys of workloads. Lists and details are separate, so that one change refetches little. */
export const workloadKeys = {
  lists: ["workloads", "list"] as const,
  list: (filters: object) => ["workloads", "list", filters] as const,
  one: (id: string) => ["workloads", "one", id] as const,
  detail: (id: string) => ["workloads", "one", id, "detail"] as const,
  array: (id: string) => ["workloads", "array", id] as const,
  events: (id: string) => ["workloads", "one", id, "events"] as const,
  /** Not below `one`: advice is expensive and changes slowly, so no topic invalidates it. */
  advice: (id: string, state: string) => ["workloads", "advice", id, state] as const,
  /** Not below `one` either: the answer tries a few decisions of the scheduler. */
  wait: (id: string, reasons: string) => ["workloads", "wait", id, reasons] as const,
  outputs: (id: string) => ["workloads", "one", id, "outputs"] as const,
  dryRun: (draft: object) => ["workloads", "dry-run", draft] as const,
};

export type ListOrdering = NonNullable<
  NonNullable<operations["workload_list_get"]["parameters"]["query"]>["ordering"]
>;

export interface WorkloadFilters {
  kind?: Workload["kind"];
  active?: boolean;
  state?: WorkloadState;
  group?: string;
  owner?: "me";
  owner_name?: string;
  owner_left?: boolean;
  pool?: string;
  gpu_model?: string;
  /** Submitted then or later. */
  since?: string;
  /** Submitted before. */
  until?: string;
  /** Ended then or later. */
  ended_since?: string;
  search?: string;
  /** Only tasks of this job array. */
  array?: string;
  /** One row for each job array. */
  collapsed?: boolean;
  ordering?: ListOrdering;
}

const PAGE_SIZE = 50;

/** Workloads that this person may see, newest first, page by page. */
export function useWorkloads(filters: WorkloadFilters, enabled = true) {
  useListUpdates(filters);
  return useInfiniteQuery({
    enabled,
    queryKey: workloadKeys.list(filters),
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/workloads", {
          params: {
            query: { ...filters, page_size: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: useFallbackInterval(),
    select: ({ pages }) => pages.flatMap((page) => page.results),
  });
}

/** Work of many people changes often: their lists are fetched once in this time. */
const LIST_GATHER_MS = 1_000;

/** Keep a list fresh that shows others' work: of every pool for staff, else of the reader's groups. */
function useListUpdates({ owner }: WorkloadFilters): void {
  const me = useMe();
  const [hasOthers, seesAll] = [owner !== "me", isStaff(me)];
  const groups = useGroups(hasOthers && !seesAll).data ?? [];
  const pools = usePools().data ?? [];
  const topics = seesAll
    ? pools.map(({ id }) => `pool:${id}`)
    : groups.map(({ id }) => `group:${id}`);
  useTopics(hasOthers ? topics : [], [workloadKeys.lists], { pauseMs: LIST_GATHER_MS });
}

/** One workload, for a reader who does not know its kind. */
export function useWorkload(workloadId: string) {
  return useQuery({
    queryKey: workloadKeys.detail(workloadId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workloads/{workload_id}", {
          params: { path: { workload_id: workloadId } },
        }),
      ),
  });
}

/** Everything that happened to a workload, newest first. */
export function useEvents(workloadId: string) {
  return useQuery({
    queryKey: workloadKeys.events(workloadId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workloads/{workload_id}/events", {
          params: { path: { workload_id: workloadId } },
        }),
      ),
    refetchInterval: useFallbackInterval(),
  });
}

/** When it would start changes slowly, and each answer costs a look at the whole pool. */
const FRESH_MS = 60_000;

/** Whether less of a GPU would be enough; fetched again when the work changes its state. */
export function useAdvice({ id, state }: WorkloadDetail) {
  return useQuery({
    queryKey: workloadKeys.advice(id, state),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workloads/{workload_id}/advice", {
          params: { path: { workload_id: id } },
        }),
      ),
    select: ({ advice }) => advice,
    staleTime: FRESH_MS,
    retry: false,
  });
}

/** Who holds the limits that keep it waiting, and ways out; fetched again when its reasons change. */
export function useWait({ id, reasons }: WorkloadDetail) {
  const codes = reasons.map(({ code }) => code).join(" ");
  return useQuery({
    queryKey: workloadKeys.wait(id, codes),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workloads/{workload_id}/waiting", {
          params: { path: { workload_id: id } },
        }),
      ),
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
    retry: false,
  });
}

/** Change waiting work, so that it starts. */
export function useTakeWayOut(workload: Pick<Workload, "id" | "kind">) {
  const client = useQueryClient();
  const { plural } = KINDS[submittedKind(workload)];
  const params = { path: { workload_id: workload.id } };
  return useMutation({
    mutationFn: (body: ChangedValues) =>
      unwrap(api.PATCH(`/api/v1/${plural}/{workload_id}`, { params, body })),
    onSettled: () => client.invalidateQueries({ queryKey: ["workloads"] }),
  });
}

const QUIET_MS = 300;
const REFRESH_MS = 5_000;

/** What would happen if this were submitted now; asked again while the form stays open. */
export function useDryRun(draft: DryRunInput | null) {
  const settled = useSettled(draft, QUIET_MS);
  return useQuery({
    queryKey: workloadKeys.dryRun(settled ?? {}),
    queryFn: () => {
      if (!settled) throw new Error("asked without a draft");
      return unwrap(api.POST("/api/v1/workloads/dry-run", { body: settled }));
    },
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    refetchInterval: settled?.ways_out ? FRESH_MS : REFRESH_MS,
    retry: (failures, error) => failures < 1 && isRetryable(error),
  });
}

/** Open a notebook, an app, or a port of running work, in a new tab by a one-time ticket. */
export function useOpen({ id, kind }: Pick<Workload, "id" | "kind">) {
  return useMutation({
    mutationFn: (port?: number) => openInTab(() => ticketOf(id, kind, port)),
  });
}

/**
 * Open the address of a ticket in a new tab. The tab is opened by the click itself and filled once the
 * ticket is there: browsers block windows that open later.
 */
export async function openInTab(issue: () => Promise<{ url: string }>): Promise<void> {
  const tab = window.open("about:blank", "_blank");
  try {
    const { url } = await issue();
    if (!tab) return window.location.assign(url);
    tab.opener = null;
    tab.location.replace(url);
  } catch (error) {
    tab?.close();
    throw error;
  }
}

/** Go from this page into a notebook or to one of its ports, which takes the page's place. */
export function useOpenHere({ id, kind }: Pick<Workload, "id" | "kind">) {
  return useMutation({
    mutationFn: async (port?: number) => {
      const { url } = await ticketOf(id, kind, port);
      window.location.replace(url);
    },
  });
}

/** A job has nothing but ports, an app has one. */
export function ticketOf(id: string, kind: Workload["kind"], port?: number) {
  const params = { path: { workload_id: id } };
  const terms = KINDS[kind];
  if (terms.endpoint === "port")
    return unwrap(api.POST(`/api/v1/${terms.plural}/{workload_id}/tickets`, { params }));
  const body = { port } as { port: number };
  return unwrap(api.POST(`/api/v1/${terms.plural}/{workload_id}/tickets`, { params, body }));
}

/** Keep everything shown about one workload fresh. */
export function useWorkloadUpdates(workloadId: string): void {
  useTopics([`workload:${workloadId}`], [workloadKeys.one(workloadId)]);
}

/** A value once it has stayed the same for a while; compared by its JSON form. */
export function useSettled<T>(value: T, quietMs: number): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as T), quietMs);
    return () => clearTimeout(timer);
  }, [text, quietMs]);
  return settled;
}
