import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type {
  ImageBuildInput,
  ImageRetention,
  ImageRetentionInput,
  ImageSaveInput,
  ImageSaving,
  SavedImageChange,
  WorkloadDetail,
} from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { FILE_PAGE, loadPages } from "@/shared/lists/api/pages";
import { useFallbackInterval, useListChanges } from "@/shared/live/live";
import { workloadKeys } from "@/shared/workload/api/workloads";
import { isUnderWay } from "../model/image";

const WATCHED_EVERY_MS = 2_000;
const PAGE_SIZE = 50;
/** Below the images that forms of new work offer: a saved one is among these. */
const savedImagesKey = [...clusterKeys.images, "saved"] as const;
const imageSavingKey = (notebookId: string) =>
  [...workloadKeys.one(notebookId), "image-save"] as const;
const paramsOf = (notebookId: string) => ({ path: { workload_id: notebookId } });

/**
 * Whether a notebook can be saved as an image, and its last save; watched while one is under way.
 * When that has ended, the images that forms offer are fetched again.
 */
export function useImageSaving(notebookId: string, isShown: boolean) {
  const fallback = useFallbackInterval();
  const client = useQueryClient();
  const queryKey = imageSavingKey(notebookId);
  return useQuery({
    queryKey,
    enabled: isShown,
    queryFn: async () => {
      const params = paramsOf(notebookId);
      const found = await unwrap(
        api.GET("/api/v1/environments/{workload_id}/image-save", { params }),
      );
      const before = client.getQueryData<ImageSaving>(queryKey);
      if (isUnderWay(before?.latest) && !isUnderWay(found.latest)) {
        void client.invalidateQueries({ queryKey: clusterKeys.images });
      }
      return found;
    },
    refetchInterval: ({ state }) => (isUnderWay(state.data?.latest) ? WATCHED_EVERY_MS : fallback),
  });
}

export function useSaveNotebook(notebookId: string) {
  return useImageSaveMutation(notebookId, (body: ImageSaveInput) =>
    unwrap(
      api.POST("/api/v1/environments/{workload_id}/image-save", {
        params: paramsOf(notebookId),
        body,
      }),
    ),
  );
}

/** Give up the save that is under way. */
export function useCancelImageSave(notebookId: string) {
  return useImageSaveMutation(notebookId, () =>
    unwrap(
      api.DELETE("/api/v1/environments/{workload_id}/image-save", {
        params: paramsOf(notebookId),
      }),
    ),
  );
}

function useImageSaveMutation<Input, Answer>(
  notebookId: string,
  mutationFn: (input: Input) => Promise<Answer>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: imageSavingKey(notebookId) }),
  });
}

/** Whether I can build images, and how large they may be. */
export function useImageBuilding() {
  return useQuery({
    queryKey: [...savedImagesKey, "building"],
    queryFn: () => unwrap(api.GET("/api/v1/image-builds")),
    refetchInterval: useFallbackInterval(),
  });
}

/** Submit a build, and go on with its job. */
export function useBuildImage(goOn: (job: WorkloadDetail) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ImageBuildInput) => unwrap(api.POST("/api/v1/image-builds", { body })),
    onSuccess: async (job) => {
      goOn(job);
      await client.invalidateQueries({ queryKey: savedImagesKey });
    },
  });
}

/** The saved images of mine and of my groups, page by page; for platform administrators, those of everyone. */
export function useSavedImages() {
  useListChanges(["image"], [savedImagesKey]);
  return useInfiniteQuery({
    queryKey: [...savedImagesKey, "list"],
    queryFn: ({ pageParam }) => loadSavedImages(pageParam, PAGE_SIZE),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
    select: ({ pages }) => pages.flatMap(({ results }) => results),
  });
}

/** All of them for a file, as far as it goes. */
export function loadAllSavedImages() {
  return loadPages((cursor) => loadSavedImages(cursor, FILE_PAGE));
}

function loadSavedImages(cursor: string | undefined, page_size: number) {
  const query = { page_size, ...(cursor && { cursor }) };
  return unwrap(api.GET("/api/v1/saved-images", { params: { query } }));
}

export function useChangeSavedImage(id: string) {
  return useSavedImageMutation((body: SavedImageChange) =>
    unwrap(
      api.PATCH("/api/v1/saved-images/{image_id}", { params: { path: { image_id: id } }, body }),
    ),
  );
}

export function useRemoveSavedImage() {
  return useSavedImageMutation((id: string) =>
    unwrap(api.DELETE("/api/v1/saved-images/{image_id}", { params: { path: { image_id: id } } })),
  );
}

function useSavedImageMutation<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.images }),
  });
}

/** The rule of retention of a group, or without one that of the platform, and what it lets go. */
export function useRetention(groupId: string | undefined) {
  return useQuery({
    queryKey: [...savedImagesKey, "retention", groupId ?? ""],
    queryFn: () =>
      groupId === undefined
        ? unwrap(api.GET("/api/v1/image-retention"))
        : unwrap(
            api.GET("/api/v1/image-retention/groups/{group_id}", {
              params: { path: { group_id: groupId } },
            }),
          ),
  });
}

function putRetention(groupId: string | undefined, body: ImageRetentionInput) {
  return groupId === undefined
    ? unwrap(api.PUT("/api/v1/image-retention", { body }))
    : unwrap(
        api.PUT("/api/v1/image-retention/groups/{group_id}", {
          params: { path: { group_id: groupId } },
          body,
        }),
      );
}

export function useSetRetention(groupId: string | undefined) {
  return useSavedImageMutation((body: ImageRetentionInput) => putRetention(groupId, body));
}

/** What would go under another rule; nothing changes. */
export function useRetentionPreview(groupId: string | undefined) {
  return useMutation<ImageRetention, Error, ImageRetentionInput>({
    mutationFn: (body) => putRetention(groupId, { ...body, dry_run: true }),
  });
}

export function useRemoveRetention(groupId: string | undefined) {
  return useSavedImageMutation((_: undefined) =>
    groupId === undefined
      ? unwrap(api.DELETE("/api/v1/image-retention"))
      : unwrap(
          api.DELETE("/api/v1/image-retention/groups/{group_id}", {
            params: { path: { group_id: groupId } },
          }),
        ),
  );
}
