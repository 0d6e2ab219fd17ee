import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { workloadKeys } from "@/shared/workload/api/workloads";

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
