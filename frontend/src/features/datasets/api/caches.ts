/** On which nodes a version is cached; watched while a copy is under way. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { DatasetCacheInput, DatasetCaches } from "@/shared/api/types";

const WATCHED_EVERY_MS = 2_000;
/** As often as nodes report while they copy nothing. */
const REPORTED_EVERY_MS = 10_000;
const PATH = "/api/v1/datasets/{dataset_id}/versions/{number}/caches";

export interface VersionKey {
  datasetId: string;
  number: number;
}

const keyOf = ({ datasetId, number }: VersionKey) => ["dataset-caches", datasetId, number];
const pathOf = ({ datasetId, number }: VersionKey) => ({
  params: { path: { dataset_id: datasetId, number } },
});

/** Whether a copy is on its way to a node, or ordered there. */
const isOnItsWay = ({ copy_state, is_ordered }: DatasetCaches["nodes"][number]) =>
  copy_state ? ["waiting", "copying"].includes(copy_state.phase) : is_ordered;

export function useDatasetCaches(version: VersionKey) {
  return useQuery({
    queryKey: keyOf(version),
    queryFn: () => unwrap(api.GET(PATH, pathOf(version))),
    refetchInterval: ({ state }) =>
      state.data?.nodes.some(isOnItsWay) ? WATCHED_EVERY_MS : REPORTED_EVERY_MS,
  });
}

export function useOrderCopies(version: VersionKey) {
  return useCachesMutation(version, (body: DatasetCacheInput) =>
    unwrap(api.POST(PATH, { ...pathOf(version), body })),
  );
}

/** Let nodes keep it no longer than they have room. */
export function useCancelCopies(version: VersionKey) {
  return useCachesMutation(version, (_: undefined) => unwrap(api.DELETE(PATH, pathOf(version))));
}

function useCachesMutation<Input>(
  version: VersionKey,
  mutationFn: (input: Input) => Promise<DatasetCaches>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (found) => client.setQueryData(keyOf(version), found),
  });
}
