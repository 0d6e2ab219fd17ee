import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/shared/api/client";
import type { JobInput } from "@/shared/api/types";
import { IdempotencyKeys } from "@/shared/submission/model/idempotency-key";
import { workloadKeys } from "@/shared/workload/api/keys";

export function useSubmitJob() {
  const client = useQueryClient();
  const [keys] = useState(() => new IdempotencyKeys());
  return useMutation({
    mutationFn: (body: JobInput) =>
      unwrap(
        api.POST("/api/v1/jobs", {
          body,
          params: { header: { "Idempotency-Key": keys.for(body) } },
        }),
      ),
    onSuccess: (job) => {
      client.setQueryData(workloadKeys.detail(job.id), job);
      return client.invalidateQueries({ queryKey: workloadKeys.lists });
    },
  });
}
