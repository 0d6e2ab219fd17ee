import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { use, useEffect, useState } from "react";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import { FILE_PAGE, known, loadPages } from "@/shared/lists/api/pages";
import { LiveContext } from "@/shared/live/live";

const PAGE_SIZE = 50;
const NAMES_MAX = 8;
const AUDIT = ["audit"] as const;

export interface AuditFilters {
  actor?: string | undefined;
  group?: string | undefined;
  outcome?: "ok" | "denied" | "failed" | undefined;
  /** The code of an act, as the log has it. */
  action?: string | undefined;
  object?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

/** What was done, newest first, page after page. */
export function useAudit(filters: AuditFilters) {
  return useInfiniteQuery({
    queryKey: [...AUDIT, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/audit-events", {
          params: { query: known({ ...filters, page_size: PAGE_SIZE, cursor: pageParam }) },
        }),
      ),
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
    select: ({ pages }) => pages.flatMap(({ results }) => results),
  });
}

/**
 * Whether something was written to the log after it was read, and how to read it again. It is not read
 * by itself: rows that are read would move under the eyes.
 */
export function useAuditNews(readAt: number) {
  const socket = use(LiveContext);
  const client = useQueryClient();
  const [writtenAt, setWrittenAt] = useState(0);
  useEffect(() => socket.subscribe("changed:audit", setWrittenAt), [socket]);
  return {
    hasNews: readAt > 0 && writtenAt > readAt,
    read: () => client.resetQueries({ queryKey: AUDIT }),
  };
}

/** The first people whose names hold a text, for who may list people. */
export function usePeopleNamed(search: string, mayList: boolean) {
  return useQuery({
    enabled: mayList && search !== "",
    queryKey: ["people", "named", search],
    queryFn: () =>
      unwrap(api.GET("/api/v1/users", { params: { query: { search, page_size: NAMES_MAX } } })),
    select: ({ results }) => results,
    placeholderData: keepPreviousData,
  });
}

/** All events of these filters for a file, as far as it goes. */
export function loadAllEvents(filters: AuditFilters) {
  return loadPages((cursor) =>
    unwrap(
      api.GET("/api/v1/audit-events", {
        params: { query: known({ ...filters, page_size: FILE_PAGE, cursor }) },
      }),
    ),
  );
}
