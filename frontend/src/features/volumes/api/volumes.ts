import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { VolumeInput } from "@/shared/api/types";
import { groupLimitsKey } from "@/shared/cluster/api/limits";
import { VOLUMES } from "@/shared/cluster/api/volumes";

/** The notebooks and jobs that mount a volume, as far as I may see them. */
export function useVolumeUsers(id: string | undefined) {
  return useQuery({
    queryKey: [...VOLUMES, id, "users"],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/volumes/{volume_id}/users", {
          params: { path: { volume_id: id as string } },
        }),
      ),
    enabled: id !== undefined,
  });
}

/** Make a volume, or change the one with this id. */
export function useSaveVolume(id: string | undefined) {
  return useVolumeMutation(({ name, group, ...change }: VolumeInput) =>
    id === undefined
      ? unwrap(api.POST("/api/v1/volumes", { body: { name, group, ...change } }))
      : unwrap(
          api.PATCH("/api/v1/volumes/{volume_id}", {
            params: { path: { volume_id: id } },
            body: change,
          }),
        ),
  );
}

export function useTrashVolume() {
  return useVolumeMutation((id: string) =>
    unwrap(api.POST("/api/v1/volumes/{volume_id}/trash", { params: { path: { volume_id: id } } })),
  );
}

export function useRestoreVolume() {
  return useVolumeMutation((id: string) =>
    unwrap(
      api.POST("/api/v1/volumes/{volume_id}/restore", { params: { path: { volume_id: id } } }),
    ),
  );
}

/** Limit what the volumes of a group may have together, in MiB; null does not. */
export function useSetGroupSpace(groupId: string) {
  return useVolumeMutation((volumes_mib_max: number | null) =>
    unwrap(
      api.PATCH("/api/v1/groups/{group_id}/limits", {
        params: { path: { group_id: groupId } },
        body: { volumes_mib_max },
      }),
    ),
  );
}

function useVolumeMutation<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () =>
      Promise.all(
        [VOLUMES, groupLimitsKey].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
}
