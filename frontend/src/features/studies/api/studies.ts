import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { StoryInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { useFallbackInterval, useListChanges } from "@/shared/live/live";
import { isOver } from "../model/studies";

const PAGE_SIZE = 50;

/** The newest studies, without their findings. */
export function useStudies() {
  const fallback = useFallbackInterval();
  useListChanges(["study"], [clusterKeys.studies]);
  return useQuery({
    queryKey: clusterKeys.studies,
    queryFn: () =>
      unwrap(api.GET("/api/v1/studies", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results,
    refetchInterval: ({ state }) => (state.data?.results.every(isOver) ? false : fallback),
  });
}

/** One study; fetched again when it has come further. */
export function useStudy(id: string) {
  const fallback = useFallbackInterval();
  useListChanges(["study"], [[...clusterKeys.studies, id]]);
  return useQuery({
    queryKey: [...clusterKeys.studies, id],
    queryFn: () =>
      unwrap(api.GET("/api/v1/studies/{study_id}", { params: { path: { study_id: id } } })),
    refetchInterval: ({ state }) => (state.data && !isOver(state.data) ? fallback : false),
  });
}

export function useRequestStory() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (scenario: StoryInput["scenario"]) =>
      unwrap(api.POST("/api/v1/studies/stories", { body: { scenario } })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.studies }),
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
