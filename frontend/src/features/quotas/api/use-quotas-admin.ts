import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { NewQuota } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";

export function useAddQuota() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewQuota) => unwrap(api.POST("/api/v1/quotas", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.allQuotas }),
  });
}

export function useRemoveQuota() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (quotaId: string) =>
      unwrap(api.DELETE("/api/v1/quotas/{quota_id}", { params: { path: { quota_id: quotaId } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.allQuotas }),
  });
}
