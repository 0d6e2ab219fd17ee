import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type {
  DatasetChange,
  DatasetInput,
  DatasetVersion,
  DatasetVersionChange,
  DatasetVersionInput,
} from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { useListChanges } from "@/shared/live/live";

const PAGE_SIZE = 200;
const VERSIONS = ["dataset-versions"] as const;

/** Everything that I may read; for those who manage data sets, all of them. */
export function useAllDatasets() {
  useListChanges(["dataset"], [clusterKeys.allDatasets, VERSIONS]);
  return useQuery({
    queryKey: clusterKeys.allDatasets,
    queryFn: () =>
      unwrap(api.GET("/api/v1/datasets", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results,
  });
}

/** All versions of a data set, newest first. */
export function useDatasetVersions(datasetId: string) {
  return useQuery({
    queryKey: [...VERSIONS, datasetId],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/datasets/{dataset_id}/versions", {
          params: { path: { dataset_id: datasetId } },
        }),
      ),
  });
}

/** Add a data set, or change the one with this id. */
export function useSaveDataset(id: string | undefined) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: DatasetInput) =>
      id === undefined ? createDataset(body) : changeDataset(id, body),
    onSuccess: refresh,
  });
}

export function useRemoveDataset() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE("/api/v1/datasets/{dataset_id}", { params: { path: { dataset_id: id } } })),
    onSuccess: refresh,
  });
}

/** Make another folder the newest version, or change alias and note of the one with this number. */
export function useSaveVersion(datasetId: string, number: number | undefined) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: DatasetVersionInput) =>
      number === undefined
        ? createVersion(datasetId, body)
        : changeVersion(datasetId, number, { alias: body.alias ?? "", note: body.note ?? "" }),
    onSuccess: refresh,
  });
}

/** Retire a version, or take it back into use. */
export function useMoveVersion(datasetId: string, number: number) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (state: DatasetVersion["state"]) => changeVersion(datasetId, number, { state }),
    onSuccess: refresh,
  });
}

export function useRemoveVersion(datasetId: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (number: string) =>
      unwrap(
        api.DELETE("/api/v1/datasets/{dataset_id}/versions/{number}", {
          params: { path: { dataset_id: datasetId, number: Number(number) } },
        }),
      ),
    onSuccess: refresh,
  });
}

function useRefresh() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: clusterKeys.allDatasets }),
      client.invalidateQueries({ queryKey: VERSIONS }),
    ]);
}

function createDataset(body: DatasetInput) {
  return unwrap(api.POST("/api/v1/datasets", { body }));
}

function changeDataset(id: string, change: DatasetInput & DatasetChange) {
  const { name: _stays, path: _isOfVersions, ...body } = change;
  return unwrap(
    api.PATCH("/api/v1/datasets/{dataset_id}", { params: { path: { dataset_id: id } }, body }),
  );
}

function createVersion(id: string, body: DatasetVersionInput) {
  return unwrap(
    api.POST("/api/v1/datasets/{dataset_id}/versions", {
      params: { path: { dataset_id: id } },
      body,
    }),
  );
}

function changeVersion(id: string, number: number, body: DatasetVersionChange) {
  return unwrap(
    api.PATCH("/api/v1/datasets/{dataset_id}/versions/{number}", {
      params: { path: { dataset_id: id, number } },
      body,
    }),
  );
}
