import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { JobArray, JobArrayInput, JobInput, WorkloadDetail } from "@/shared/api/types";
import { useFallbackInterval } from "@/shared/live/live";
import { useSubmission } from "@/shared/submission/api/submission";
import { workloadKeys } from "@/shared/workload/api/workloads";
import { submitArray } from "./queue-controls";

export function useJob(jobId: string) {
  return useQuery({
    queryKey: workloadKeys.detail(jobId),
    queryFn: () =>
      unwrap(api.GET("/api/v1/jobs/{workload_id}", { params: { path: { workload_id: jobId } } })),
    refetchInterval: useFallbackInterval(),
  });
}

export function useSubmitJob() {
  return useSubmission<JobInput | JobArrayInput, WorkloadDetail | JobArray>((body, key) =>
    "array" in body
      ? submitArray(body, key)
      : unwrap(api.POST("/api/v1/jobs", { body, params: { header: { "Idempotency-Key": key } } })),
  );
}

export function useCancelJob(jobId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/v1/jobs/{workload_id}/cancel", { params: { path: { workload_id: jobId } } }),
      ),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: workloadKeys.one(jobId) }),
        client.invalidateQueries({ queryKey: workloadKeys.lists }),
      ]),
  });
}

/** The files that a job left in its output folder. */
export function useOutputs(jobId: string) {
  return useQuery({
    queryKey: workloadKeys.outputs(jobId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/jobs/{workload_id}/outputs", { params: { path: { workload_id: jobId } } }),
      ),
  });
}

/** Where one output file is downloaded. */
export function outputAddress(jobId: string, path: string): string {
  const segments = path.split("/").map(encodeURIComponent).join("/");
  return `/api/v1/jobs/${jobId}/outputs/${segments}`;
}
