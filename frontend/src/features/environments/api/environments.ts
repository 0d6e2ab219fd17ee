import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { EnvironmentInput } from "@/shared/api/types";
import { useFallbackInterval } from "@/shared/live/live";
import { useSubmission } from "@/shared/submission/api/submission";
import { workloadKeys } from "@/shared/workload/api/workloads";

export function useEnvironment(environmentId: string) {
  return useQuery({
    queryKey: workloadKeys.detail(environmentId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/environments/{workload_id}", {
          params: { path: { workload_id: environmentId } },
        }),
      ),
    refetchInterval: useFallbackInterval(),
  });
}

export function useCreateEnvironment() {
  return useSubmission((body: EnvironmentInput, key) =>
    unwrap(
      api.POST("/api/v1/environments", { body, params: { header: { "Idempotency-Key": key } } }),
    ),
  );
}

export type EnvironmentAction = "start" | "stop" | "keep" | "gpus" | "restart" | "delete";

/** Do something with a notebook; its page then shows what the server made of it. */
export function useEnvironmentAction(environmentId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (action: EnvironmentAction) => {
      const params = { path: { workload_id: environmentId } };
      if (action === "delete") {
        await unwrap(api.DELETE("/api/v1/environments/{workload_id}", { params }));
      } else {
        await unwrap(api.POST(`/api/v1/environments/{workload_id}/${action}`, { params }));
      }
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: workloadKeys.one(environmentId) }),
        client.invalidateQueries({ queryKey: workloadKeys.lists }),
      ]),
  });
}
