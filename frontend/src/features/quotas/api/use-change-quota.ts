import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { QuotaInput } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";

export function useChangeQuota(quotaId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: QuotaInput) =>
      unwrap(
        api.PATCH("/api/v1/quotas/{quota_id}", { params: { path: { quota_id: quotaId } }, body }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.allQuotas }),
  });
}
