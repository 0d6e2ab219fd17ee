import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { WorkloadDetail } from "@/shared/api/types";
import { workloadKeys } from "./keys";

/** When it would start changes slowly, and each answer costs a look at the whole pool. */
const FRESH_MS = 60_000;

/** Whether less of a card would be enough; asked anew when the work changes its state. */
export function useAdvice({ id, state }: WorkloadDetail) {
  return useQuery({
    queryKey: workloadKeys.advice(id, state),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workloads/{workload_id}/advice", {
          params: { path: { workload_id: id } },
        }),
      ),
    select: ({ advice }) => advice,
    staleTime: FRESH_MS,
    retry: false,
  });
}
