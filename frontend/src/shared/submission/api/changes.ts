/** Changing work after it was submitted. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { WorkloadChange, WorkloadDetail } from "@/shared/api/types";
import { workloadKeys } from "@/shared/workload/api/workloads";

export function useChangeWorkload({ id, kind }: Pick<WorkloadDetail, "id" | "kind">) {
  const client = useQueryClient();
  const params = { path: { workload_id: id } };
  return useMutation({
    mutationFn: (body: WorkloadChange) => {
      if (kind === "training")
        return unwrap(api.PATCH("/api/v1/jobs/{workload_id}", { params, body }));
      const { replicas: _, preemptible: _for, ...rest } = body;
      return unwrap(api.PATCH("/api/v1/environments/{workload_id}", { params, body: rest }));
    },
    onSuccess: (workload) => {
      client.setQueryData(workloadKeys.detail(id), workload);
      void client.invalidateQueries({ queryKey: workloadKeys.one(id) });
      return client.invalidateQueries({ queryKey: workloadKeys.lists });
    },
  });
}
