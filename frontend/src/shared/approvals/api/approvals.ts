/** Requests for more than a limit allows: making them, deciding on them, how many wait. */
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type { Approval, ApprovalInput } from "@/shared/api/types";
import { FILE_PAGE, known, loadPages } from "@/shared/lists/api/pages";
import { useFallbackInterval, useTopics } from "@/shared/live/live";

/** Characters of the reason of a request, and of the comment of its decision. */
export const COMMENT_MAX = 500;

export interface ApprovalFilters {
  side?: "mine" | "to_decide" | undefined;
  state?: Approval["state"] | undefined;
  kind?: Approval["kind"] | undefined;
  workload?: string;
}

const approvalKeys = {
  all: ["approvals"] as const,
  list: (filters: ApprovalFilters) => ["approvals", "list", filters] as const,
  counts: ["approvals", "counts"] as const,
};
const TOPIC = "requests";

/** Requests that I made or decide on, newest first, page by page. */
export function useApprovals(filters: ApprovalFilters) {
  useTopics([TOPIC], [approvalKeys.all]);
  return useInfiniteQuery({
    queryKey: approvalKeys.list(filters),
    queryFn: ({ pageParam }) => loadApprovals({ ...filters, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: useFallbackInterval(),
    select: ({ pages }) => pages.flatMap((page) => page.results),
  });
}

/** All of them for a file, as far as it goes. */
export function loadAllApprovals(filters: ApprovalFilters) {
  return loadPages((cursor) => loadApprovals({ ...filters, page_size: FILE_PAGE, cursor }));
}

function loadApprovals(
  query: ApprovalFilters & { cursor: string | undefined; page_size?: number },
) {
  return unwrap(api.GET("/api/v1/approvals", { params: { query: known(query) } }));
}

/** How many requests wait for my decision, and how many of mine wait. */
export function useApprovalCounts() {
  useTopics([TOPIC], [approvalKeys.counts]);
  return useQuery({
    queryKey: approvalKeys.counts,
    queryFn: () => unwrap(api.GET("/api/v1/approvals/counts")),
    refetchInterval: useFallbackInterval(),
  });
}

export function useMakeRequest() {
  return useApprovalMutation((body: ApprovalInput) =>
    unwrap(api.POST("/api/v1/approvals", { body })),
  );
}

export type Verb = "approve" | "decline";

export function useDecide(requestId: string, verb: Verb) {
  const params = { path: { request_id: requestId } };
  return useApprovalMutation((body: { comment?: string }) =>
    unwrap(
      verb === "approve"
        ? api.POST("/api/v1/approvals/{request_id}/approve", { params, body })
        : api.POST("/api/v1/approvals/{request_id}/decline", { params, body }),
    ),
  );
}

export function useWithdraw() {
  return useApprovalMutation((requestId: string) =>
    unwrap(
      api.POST("/api/v1/approvals/{request_id}/withdraw", {
        params: { path: { request_id: requestId } },
      }),
    ),
  );
}

function useApprovalMutation<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: approvalKeys.all }),
  });
}
