import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { JobArray, WorkloadDetail } from "@/shared/api/types";
import { workloadKeys } from "@/shared/workload/api/workloads";
import { IdempotencyKeys } from "../model/submission";

/** What was submitted: work, or an array of it. */
export type Submitted = WorkloadDetail | JobArray;
export type Submission<Input, Result extends Submitted = WorkloadDetail> = UseMutationResult<
  Result,
  Error,
  Input
>;

/** Submit work once per content, however often the button is pressed; `post` sends it. */
export function useSubmission<Input extends object, Result extends Submitted = WorkloadDetail>(
  post: (body: Input, idempotencyKey: string) => Promise<Result>,
): Submission<Input, Result> {
  const client = useQueryClient();
  const [keys] = useState(() => new IdempotencyKeys());
  return useMutation({
    mutationFn: (body: Input) => post(body, keys.for(body)),
    onSuccess: (submitted) => {
      const isArray = "indexes" in submitted;
      const key = isArray ? workloadKeys.array(submitted.id) : workloadKeys.detail(submitted.id);
      client.setQueryData<Submitted>(key, submitted);
      return client.invalidateQueries({ queryKey: workloadKeys.lists });
    },
  });
}
