import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { ImageChange, ImageInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { imageChange } from "../model/image";

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
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.images }),
  });
}
