import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type {
  ImageChange,
  ImageInput,
  ImageNodes,
  ImagePullInput,
  RegistryInput,
} from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { useFallbackInterval } from "@/shared/live/live";
import { imageChange, isPulling } from "../model/image";

const PULLS_WATCHED_EVERY_MS = 2_000;
const imageNodesKey = (id: string) => [...clusterKeys.images, "nodes", id] as const;
const SCAN_WATCHED_EVERY_MS = 10_000;
const imageScanKey = (id: string) => [...clusterKeys.images, "scan", id] as const;
const registriesKey = ["registries"] as const;

/** Add an image, which nodes then pull beforehand, or change the one with this id. */
export function useSaveImage(id: string | undefined) {
  return useImageMutation((body: ImageInput) =>
    id === undefined
      ? unwrap(api.POST("/api/v1/images", { body }))
      : changeImage(id, imageChange(body)),
  );
}

/** Withdraw an image, or offer it again. */
export function useOfferImage(id: string) {
  return useImageMutation((is_active: boolean) => changeImage(id, { is_active }));
}

function changeImage(id: string, body: ImageChange) {
  return unwrap(
    api.PATCH("/api/v1/images/{image_id}", { params: { path: { image_id: id } }, body }),
  );
}

/** A change of the catalogue, which forms of new work show as well as the page. */
function useImageMutation<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: clusterKeys.images }),
  });
}

/** The registries from which nodes pull with a login, for administrators. */
export function useRegistries() {
  return useQuery({
    queryKey: registriesKey,
    queryFn: () => unwrap(api.GET("/api/v1/registries", { params: { query: { page_size: 100 } } })),
    select: (page) => page.results,
  });
}

/** Add the login of a registry, or replace that of the one with this id. */
export function useSaveRegistry(id: string | undefined) {
  return useRegistryMutation(({ host, ...login }: RegistryInput) =>
    id === undefined
      ? unwrap(api.POST("/api/v1/registries", { body: { host, ...login } }))
      : unwrap(
          api.PUT("/api/v1/registries/{registry_id}", {
            params: { path: { registry_id: id } },
            body: login,
          }),
        ),
  );
}

export function useRemoveRegistry() {
  return useRegistryMutation((id: string) =>
    unwrap(
      api.DELETE("/api/v1/registries/{registry_id}", { params: { path: { registry_id: id } } }),
    ),
  );
}

function useRegistryMutation<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: registriesKey }),
  });
}

/** On which nodes an image is; watched while a pull is under way. */
export function useImageNodes(id: string) {
  const fallback = useFallbackInterval();
  return useQuery({
    queryKey: imageNodesKey(id),
    queryFn: () =>
      unwrap(api.GET("/api/v1/images/{image_id}/nodes", { params: { path: { image_id: id } } })),
    refetchInterval: ({ state }) =>
      state.data?.nodes.some(isPulling) ? PULLS_WATCHED_EVERY_MS : fallback,
  });
}

export function usePullImage(id: string) {
  return useImageNodesMutation(id, (body: ImagePullInput) =>
    unwrap(
      api.POST("/api/v1/images/{image_id}/pulls", { params: { path: { image_id: id } }, body }),
    ),
  );
}

/** Give up the pulls that are under way. */
export function useCancelPulls(id: string) {
  return useImageNodesMutation(id, (_: undefined) =>
    unwrap(api.DELETE("/api/v1/images/{image_id}/pulls", { params: { path: { image_id: id } } })),
  );
}

function useImageNodesMutation<Input>(
  id: string,
  mutationFn: (input: Input) => Promise<ImageNodes>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (found) => client.setQueryData(imageNodesKey(id), found),
  });
}

/** What was found in an image; watched while it is scanned. */
export function useImageScan(id: string) {
  const fallback = useFallbackInterval();
  return useQuery({
    queryKey: imageScanKey(id),
    queryFn: () =>
      unwrap(api.GET("/api/v1/images/{image_id}/scan", { params: { path: { image_id: id } } })),
    refetchInterval: ({ state }) =>
      state.data?.state === "running" ? SCAN_WATCHED_EVERY_MS : fallback,
  });
}

export function useAskForScan(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(api.POST("/api/v1/images/{image_id}/scan", { params: { path: { image_id: id } } })),
    onSuccess: (found) => client.setQueryData(imageScanKey(id), found),
  });
}
