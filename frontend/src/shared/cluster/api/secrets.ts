import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useListChanges } from "@/shared/live/live";

export const SECRETS = ["secrets"] as const;
const PAGE_SIZE = 100;

/** My secrets and those of my groups, by name; no answer has a value. */
export function useSecrets() {
  useListChanges(["secret"], [SECRETS]);
  return useQuery({
    queryKey: SECRETS,
    queryFn: () =>
      unwrap(api.GET("/api/v1/secrets", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results,
  });
}
