import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { clusterKeys } from "./keys";

const STALE_MS = 60_000;
const PAGE = 200;

/** The images that work may run in; for those who manage them, withdrawn ones too. */
export function useImages() {
  return useQuery({
    queryKey: clusterKeys.images,
    queryFn: () => unwrap(api.GET("/api/v1/images", { params: { query: { page_size: PAGE } } })),
    select: (page) => page.results,
    staleTime: STALE_MS,
  });
}
