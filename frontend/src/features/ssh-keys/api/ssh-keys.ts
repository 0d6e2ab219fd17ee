import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { SshKeyInput } from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";

const LIST = ["ssh-keys", "list"] as const;

export function useSshKeys() {
  useListChanges(["ssh_key"], [LIST]);
  return useQuery({
    queryKey: LIST,
    queryFn: () => unwrap(api.GET("/api/v1/ssh-keys")),
    select: (page) => page.results,
  });
}

export function useAddSshKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SshKeyInput) => unwrap(api.POST("/api/v1/ssh-keys", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: LIST }),
  });
}

export function useDeleteSshKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (keyId: string) =>
      unwrap(api.DELETE("/api/v1/ssh-keys/{key_id}", { params: { path: { key_id: keyId } } })),
    onSettled: () => client.invalidateQueries({ queryKey: LIST }),
  });
}
