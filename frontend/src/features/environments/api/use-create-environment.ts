import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/shared/api/client";
import type { EnvironmentInput } from "@/shared/api/types";
import { IdempotencyKeys } from "@/shared/submission/model/idempotency-key";
import { workloadKeys } from "@/shared/workload/api/keys";

export function useCreateEnvironment() {
  const client = useQueryClient();
  const [keys] = useState(() => new IdempotencyKeys());
  return useMutation({
    mutationFn: (body: EnvironmentInput) =>
      unwrap(
        api.POST("/api/v1/environments", {
          body,
          params: { header: { "Idempotency-Key": keys.for(body) } },
        }),
      ),
    onSuccess: (environment) => {
      client.setQueryData(workloadKeys.detail(environment.id), environment);
      return client.invalidateQueries({ queryKey: workloadKeys.lists });
    },
  });
}
