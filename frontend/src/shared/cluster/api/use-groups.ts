import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { clusterKeys } from "./keys";

const PAGE_SIZE = 200;

/** The groups that I may see, in the tree of the organisation. */
export function useGroups() {
  return useQuery({
    queryKey: clusterKeys.groups,
    queryFn: () =>
      unwrap(api.GET("/api/v1/groups", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results,
  });
}
