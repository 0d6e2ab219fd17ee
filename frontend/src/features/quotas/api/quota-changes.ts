/** Changes of many quotas: preview, saving, history, and files. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type { QuotaEditInput, QuotaMemberEditInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { FILE_PAGE, known, loadPages } from "@/shared/lists/api/pages";
import { useListChanges } from "@/shared/live/live";
import { limitKeys } from "./quotas";

const historyKey = ["quota-changes"] as const;
const capacityKey = ["quota-capacities"] as const;
const PAGE_SIZE = 20;
const CAPACITY_STALE_MS = 60_000;

/** Edits, or an earlier change to take back. */
export type ChangeAsked =
  | { changes: QuotaEditInput[]; members: QuotaMemberEditInput[] }
  | { undo: string };

/** What there is to share out: the preview of no change. */
export function useCapacities() {
  return useQuery({
    queryKey: capacityKey,
    queryFn: () => unwrap(api.POST("/api/v1/quota-changes/preview", { body: { changes: [] } })),
    select: ({ capacities }) => capacities,
    staleTime: CAPACITY_STALE_MS,
  });
}

export function usePreviewQuotaChange() {
  return useMutation({
    mutationFn: (body: ChangeAsked) => unwrap(api.POST("/api/v1/quota-changes/preview", { body })),
  });
}

export function useSaveQuotaChange() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ChangeAsked & { reason: string }) =>
      unwrap(api.POST("/api/v1/quota-changes", { body })),
    onSuccess: () =>
      Promise.all(
        [clusterKeys.allQuotas, limitKeys.members, historyKey].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

/** What a file would change; nothing is saved. */
export function useReadCsv() {
  return useMutation({
    mutationFn: (text: string) => unwrap(api.POST("/api/v1/quota-changes/csv", { body: { text } })),
  });
}

/** Who changed what, newest first, page after page. */
export function useQuotaHistory() {
  useListChanges(["quota", "member_limit"], [historyKey]);
  return useInfiniteQuery({
    queryKey: historyKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => loadHistory(PAGE_SIZE, pageParam),
    getNextPageParam: nextCursor,
    select: ({ pages }) => pages.flatMap(({ results }) => results),
  });
}

/** All of it for a file, as far as it goes. */
export function loadAllQuotaHistory() {
  return loadPages((cursor) => loadHistory(FILE_PAGE, cursor));
}

function loadHistory(page_size: number, cursor: string | undefined) {
  return unwrap(
    api.GET("/api/v1/quota-changes", { params: { query: known({ page_size, cursor }) } }),
  );
}
