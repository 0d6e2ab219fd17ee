import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { clusterKeys } from "./keys";

const STALE_MS = 60_000;
const PAGE = 200;

/** The data sets that work of a group may read. */
export function useDatasets(groupId: string | undefined) {
  return useQuery({
    queryKey: clusterKeys.datasets(groupId ?? ""),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/datasets", {
          params: { query: { group: groupId as string, page_size: PAGE } },
        }),
      ),
    select: (page) => page.results,
    staleTime: STALE_MS,
    enabled: groupId !== undefined,
  });
}
