/** Queries that several features use: pools, images, data sets, groups, quotas. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Image, StudyInput } from "@/shared/api/types";
import { useFallbackInterval, useListChanges } from "@/shared/live/live";

const STALE_MS = 60_000;
const PAGE_SIZE = 200;

/** Keys of what several features show; a feature's own keys stand beside its queries. */
export const clusterKeys = {
  pools: ["cluster", "pools"] as const,
  nodes: ["cluster", "nodes"] as const,
  nodeList: ["cluster", "nodes", "list"] as const,
  node: (nodeId: string) => ["cluster", "nodes", nodeId] as const,
  images: ["cluster", "images"] as const,
  allDatasets: ["cluster", "datasets"] as const,
  datasets: (groupId: string) => ["cluster", "datasets", groupId] as const,
  quotas: (groupId: string | null) => ["cluster", "quotas", groupId] as const,
  groups: ["cluster", "groups"] as const,
  members: (groupId: string) => ["cluster", "groups", groupId, "members"] as const,
  studies: ["cluster", "studies"] as const,
  allQuotas: ["cluster", "quotas"] as const,
  prices: ["usage", "prices"] as const,
};

/** The pools with what is free in them now. */
export function usePools() {
  return useQuery({
    queryKey: clusterKeys.pools,
    queryFn: () => unwrap(api.GET("/api/v1/pools")),
    select: (page) => page.results,
    refetchInterval: useFallbackInterval(),
  });
}

/** The images that my work may run in, saved ones too; for those who manage them, withdrawn ones. */
export function useImages(isMeant: (image: Image) => boolean = () => true) {
  useListChanges(["image"], [clusterKeys.images]);
  return useQuery({
    queryKey: clusterKeys.images,
    queryFn: () =>
      unwrap(api.GET("/api/v1/images", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results.filter(isMeant),
    staleTime: STALE_MS,
  });
}

/** The data sets that work of a group may read. */
export function useDatasets(groupId: string | undefined) {
  return useQuery({
    queryKey: clusterKeys.datasets(groupId ?? ""),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/datasets", {
          params: { query: { group: groupId as string, page_size: PAGE_SIZE } },
        }),
      ),
    select: (page) => page.results,
    staleTime: STALE_MS,
    enabled: groupId !== undefined,
  });
}

/** The groups that I may see, in the tree of the organisation. */
export function useGroups(enabled = true) {
  useListChanges(enabled ? ["group"] : [], [clusterKeys.groups]);
  return useQuery({
    enabled,
    queryKey: clusterKeys.groups,
    queryFn: () =>
      unwrap(api.GET("/api/v1/groups", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results,
  });
}

/** Who belongs to a group, also by one above it. */
export function useGroupMembers(groupId: string | undefined) {
  return useQuery({
    queryKey: clusterKeys.members(groupId ?? ""),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/groups/{group_id}/members", {
          params: { path: { group_id: groupId as string } },
        }),
      ),
    enabled: groupId !== undefined,
  });
}

/** Limits and use of one group, or of all groups that I may see. */
export function useQuotas(groupId: string | null) {
  useListChanges(["quota"], [clusterKeys.allQuotas]);
  return useQuery({
    queryKey: clusterKeys.quotas(groupId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/quotas", {
          params: { query: groupId === null ? {} : { group: groupId } },
        }),
      ),
    refetchInterval: useFallbackInterval(),
  });
}

/** What an hour of each GPU model costs, from when to when. */
export function usePrices() {
  useListChanges(["price"], [clusterKeys.prices]);
  return useQuery({
    queryKey: clusterKeys.prices,
    queryFn: () => unwrap(api.GET("/api/v1/gpu-prices")),
  });
}

/** Create a study of the last days under other rules, other limits or with more servers. */
export function useCreateStudy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: StudyInput) => unwrap(api.POST("/api/v1/studies", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.studies }),
  });
}
