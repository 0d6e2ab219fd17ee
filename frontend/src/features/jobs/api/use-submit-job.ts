import { api, unwrap } from "@/shared/api/client";
import type { JobInput } from "@/shared/api/types";
import { useSubmission } from "@/shared/submission/api/submission";

export function useSubmitJob() {
  return useSubmission((body: JobInput, key) =>
    unwrap(api.POST("/api/v1/jobs", { body, params: { header: { "Idempotency-Key": key } } })),
  );
}
