import { api, unwrap } from "@/shared/api/client";
import type { EnvironmentInput } from "@/shared/api/types";
import { useSubmission } from "@/shared/submission/api/submission";

export function useCreateEnvironment() {
  return useSubmission((body: EnvironmentInput, key) =>
    unwrap(
      api.POST("/api/v1/environments", { body, params: { header: { "Idempotency-Key": key } } }),
    ),
  );
}
