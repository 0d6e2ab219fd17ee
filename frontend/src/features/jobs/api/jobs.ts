/** Jobs and arrays of jobs: what is submitted, read and done. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { JobArray, JobArrayInput, JobInput, WorkloadDetail } from "@/shared/api/types";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import { useSubmission } from "@/shared/submission/api/submission";
import { workloadKeys } from "@/shared/workload/api/workloads";

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

// Hold, release and requeue; arrays.

export type JobAction = "hold" | "release" | "requeue";

export function useJobAction(jobId: string, action: JobAction) {
  const client = useQueryClient();
  const params = { path: { workload_id: jobId } };
  return useMutation({
    mutationFn: () => unwrap(api.POST(`/api/v1/jobs/{workload_id}/${action}`, { params })),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: workloadKeys.one(jobId) }),
        client.invalidateQueries({ queryKey: workloadKeys.lists }),
      ]),
  });
}

export function useJobArray(arrayId: string) {
  const params = { path: { array_id: arrayId } };
  return useQuery({
    queryKey: workloadKeys.array(arrayId),
    queryFn: () => unwrap(api.GET("/api/v1/job-arrays/{array_id}", { params })),
    refetchInterval: useFallbackInterval(),
  });
}

/** Ten thousand tasks change often: their counts are fetched once in this time. */
const GATHER_MS = 1_000;

/** Keep an array and its tasks fresh. */
export function useArrayUpdates({ id, group }: JobArray): void {
  useTopics([`group:${group.id}`], [workloadKeys.array(id), workloadKeys.lists], {
    pauseMs: GATHER_MS,
  });
}

function submitArray(body: JobArrayInput, key: string): Promise<JobArray> {
  const params = { header: { "Idempotency-Key": key } };
  return unwrap(api.POST("/api/v1/job-arrays", { body, params }));
}

export type ArrayAction = "hold" | "release" | "cancel";

export function useArrayAction(arrayId: string, action: ArrayAction) {
  const client = useQueryClient();
  const params = { path: { array_id: arrayId } };
  return useMutation({
    mutationFn: () => unwrap(api.POST(`/api/v1/job-arrays/{array_id}/${action}`, { params })),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: workloadKeys.array(arrayId) }),
        client.invalidateQueries({ queryKey: workloadKeys.lists }),
      ]),
  });
}
