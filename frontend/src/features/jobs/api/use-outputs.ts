import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { workloadKeys } from "@/shared/workload/api/workloads";

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
