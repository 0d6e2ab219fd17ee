import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { isOver } from "../model/studies";

const PAGE_SIZE = 50;
const LOOK_MS = 2000;

/** The newest studies, without their findings. */
export function useStudies() {
  return useQuery({
    queryKey: clusterKeys.studies,
    queryFn: () =>
      unwrap(api.GET("/api/v1/studies", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results,
    refetchInterval: ({ state }) => (state.data?.results.every(isOver) ? false : LOOK_MS),
  });
}

/** One study; fetched again until it is over. */
export function useStudy(id: string) {
  return useQuery({
    queryKey: [...clusterKeys.studies, id],
    queryFn: () =>
      unwrap(api.GET("/api/v1/studies/{study_id}", { params: { path: { study_id: id } } })),
    refetchInterval: ({ state }) => (state.data && !isOver(state.data) ? LOOK_MS : false),
  });
}

export function useRemoveStudy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE("/api/v1/studies/{study_id}", { params: { path: { study_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.studies }),
  });
}
