import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { DatasetChange, DatasetInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { useListChanges } from "@/shared/live/live";

const PAGE_SIZE = 200;
const USES = ["dataset-uses"] as const;

/** Everything that I may read; for those who manage data sets, all of them. */
export function useAllDatasets() {
  useListChanges(["dataset"], [clusterKeys.allDatasets, USES]);
  return useQuery({
    queryKey: clusterKeys.allDatasets,
    queryFn: () =>
      unwrap(api.GET("/api/v1/datasets", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results,
  });
}

/** How much work names each data set, and which nodes do not have it; for managers only. */
export function useDatasetUses(isManager: boolean) {
  return useQuery({
    queryKey: USES,
    queryFn: () => unwrap(api.GET("/api/v1/dataset-uses")),
    select: (rows) => new Map(rows.map((row) => [row.name, row])),
    enabled: isManager,
  });
}

/** Add a data set, or change the one with this id. */
export function useSaveDataset(id: string | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: DatasetInput) =>
      id === undefined ? createDataset(body) : changeDataset(id, body),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: clusterKeys.allDatasets }),
        client.invalidateQueries({ queryKey: USES }),
      ]),
  });
}

export function useRemoveDataset() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE("/api/v1/datasets/{dataset_id}", { params: { path: { dataset_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.allDatasets }),
  });
}

function createDataset(body: DatasetInput) {
  return unwrap(api.POST("/api/v1/datasets", { body }));
}

function changeDataset(id: string, { name: _stays, ...body }: DatasetInput & DatasetChange) {
  return unwrap(
    api.PATCH("/api/v1/datasets/{dataset_id}", { params: { path: { dataset_id: id } }, body }),
  );
}
