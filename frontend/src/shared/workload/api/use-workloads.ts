import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type { WorkloadState } from "@/shared/api/types";
import { useFallbackInterval } from "@/shared/live/live";
import { workloadKeys } from "./keys";

export interface WorkloadFilters {
  kind?: "environment" | "training";
  active?: boolean;
  state?: WorkloadState;
  group?: string;
  owner?: "me";
  search?: string;
}

const PAGE_SIZE = 50;

/** Workloads that this person may see, newest first, page by page. */
export function useWorkloads(filters: WorkloadFilters) {
  const query = useInfiniteQuery({
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
  });
  return { ...query, workloads: query.data?.pages.flatMap((page) => page.results) };
}
