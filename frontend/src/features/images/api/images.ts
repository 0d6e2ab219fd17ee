import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { ImageChange, ImageInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";

/** Allow one more image; nodes fetch it beforehand. */
export function useAddImage() {
  return useCatalogueChange((body: ImageInput) => unwrap(api.POST("/api/v1/images", { body })));
}

/** Change what an image is, withdraw it or offer it again. */
export function useChangeImage(id: string) {
  const params = { path: { image_id: id } };
  return useCatalogueChange((body: ImageChange) =>
    unwrap(api.PATCH("/api/v1/images/{image_id}", { params, body })),
  );
}

/** Forms of new work see the change as well as the page. */
function useCatalogueChange<Body, Answer>(send: (body: Body) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.images }),
  });
}
