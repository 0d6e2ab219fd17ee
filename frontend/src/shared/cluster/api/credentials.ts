/** Secrets and SSH keys: what a person has stored to be let in by. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { SshKeyInput } from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";

export const SECRETS = ["secrets"] as const;
const PAGE_SIZE = 100;

/** My secrets and those of my groups, by name; no answer has a value. */
export function useSecrets(enabled = true) {
  useListChanges(enabled ? ["secret"] : [], [SECRETS]);
  return useQuery({
    enabled,
    queryKey: SECRETS,
    queryFn: () =>
      unwrap(api.GET("/api/v1/secrets", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results,
  });
}

const SSH_KEYS = ["ssh-keys", "list"] as const;

export function useSshKeys() {
  useListChanges(["ssh_key"], [SSH_KEYS]);
  return useQuery({
    queryKey: SSH_KEYS,
    queryFn: () => unwrap(api.GET("/api/v1/ssh-keys")),
    select: (page) => page.results,
  });
}

export function useAddSshKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SshKeyInput) => unwrap(api.POST("/api/v1/ssh-keys", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: SSH_KEYS }),
  });
}

export function useDeleteSshKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (keyId: string) =>
      unwrap(api.DELETE("/api/v1/ssh-keys/{key_id}", { params: { path: { key_id: keyId } } })),
    onSettled: () => client.invalidateQueries({ queryKey: SSH_KEYS }),
  });
}
