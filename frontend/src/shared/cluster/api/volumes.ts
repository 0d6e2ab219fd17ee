import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Volume } from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";

export const VOLUMES = ["volumes"] as const;
const PAGE_SIZE = 200;

/** My home and the volumes of my groups and of those above, also those in the trash. */
export function useVolumes(enabled = true) {
  useListChanges(enabled ? ["volume"] : [], [VOLUMES]);
  return useQuery({
    enabled,
    queryKey: VOLUMES,
    queryFn: () =>
      unwrap(api.GET("/api/v1/volumes", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results,
  });
}

/** The active group volumes whose files I may read. */
export function useMountableVolumes(enabled = true) {
  const volumes = useVolumes(enabled);
  return (volumes.data ?? []).filter(
    ({ kind, state, access }: Volume) =>
      kind === "group" && state === "active" && access !== "none",
  );
}
