import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { workloadKeys } from "@/shared/workload/api/workloads";

const SHOWN = 50;

/** The newest jobs of a group, whose outputs other work may read. */
export function useRecentJobs(groupId: string | undefined) {
  return useQuery({
    queryKey: [...workloadKeys.lists, "recent", groupId],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/jobs", {
          params: { query: { group: groupId as string, page_size: SHOWN } },
        }),
      ),
    select: (page) => page.results,
    enabled: groupId !== undefined,
  });
}
