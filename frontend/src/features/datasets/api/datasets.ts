import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type {
  DatasetChange,
  DatasetInput,
  DatasetVersion,
  DatasetVersionChange,
  DatasetVersionInput,
  PublicationInput,
} from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { useListChanges } from "@/shared/live/live";
import { isUnfinished } from "../model/dataset";

const PAGE_SIZE = 200;
const VERSIONS = ["dataset-versions"] as const;
const PUBLICATIONS = ["dataset-publications"] as const;
const OBJECT_STORES = ["object-stores"] as const;
const PROGRESS_MS = 2000;

/** Everything that I may read; for those who manage data sets, all of them. */
export function useAllDatasets() {
  useListChanges(["dataset"], [clusterKeys.allDatasets, VERSIONS, PUBLICATIONS]);
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

/** What is, or was, published as versions of a data set, newest first; asked again while one grows. */
export function usePublications(datasetId: string) {
  return useQuery({
    queryKey: [...PUBLICATIONS, datasetId],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/dataset-publications", { params: { query: { dataset: datasetId } } }),
      ),
    select: (page) => page.results,
    refetchInterval: ({ state }) => state.data?.results.some(isUnfinished) && PROGRESS_MS,
  });
}

/** The object stores from which I may publish; the server's operator names them. */
export function useObjectStores() {
  return useQuery({
    queryKey: OBJECT_STORES,
    queryFn: () => unwrap(api.GET("/api/v1/object-stores")),
  });
}

/** Let files become a version; `onBegun` is told the name of the data set. */
export function usePublish(onBegun: (name: string) => void) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: PublicationInput) =>
      unwrap(api.POST("/api/v1/dataset-publications", { body })),
    onSuccess: async ({ name }) => {
      onBegun(name);
      await refresh();
    },
  });
}

export function useCancelPublication() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.DELETE("/api/v1/dataset-publications/{publication_id}", {
          params: { path: { publication_id: id } },
        }),
      ),
    onSuccess: refresh,
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
      client.invalidateQueries({ queryKey: PUBLICATIONS }),
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
