import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { workloadKeys } from "@/shared/workload/api/workloads";
import { IdempotencyKeys } from "../model/submission";

export type Submission<Input> = UseMutationResult<WorkloadDetail, Error, Input>;

/** Submit work once per content, however often the button is pressed; `post` sends it. */
export function useSubmission<Input extends object>(
  post: (body: Input, idempotencyKey: string) => Promise<WorkloadDetail>,
): Submission<Input> {
  const client = useQueryClient();
  const [keys] = useState(() => new IdempotencyKeys());
  return useMutation({
    mutationFn: (body: Input) => post(body, keys.for(body)),
    onSuccess: (workload) => {
      client.setQueryData(workloadKeys.detail(workload.id), workload);
      return client.invalidateQueries({ queryKey: workloadKeys.lists });
    },
  });
}
