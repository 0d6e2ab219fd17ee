import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { EnvironmentInput, NotebookScheduleInput } from "@/shared/api/types";
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

// The schedule: when a notebook starts and stops by itself.

const scheduleKey = (environmentId: string) =>
  [...workloadKeys.one(environmentId), "schedule"] as const;
const paramsOf = (environmentId: string) => ({ path: { workload_id: environmentId } });

/** The schedule; it has no days where none was set. */
export function useSchedule(environmentId: string) {
  return useQuery({
    queryKey: scheduleKey(environmentId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/environments/{workload_id}/schedule", { params: paramsOf(environmentId) }),
      ),
  });
}

export function useSaveSchedule(environmentId: string) {
  return useScheduleMutation(environmentId, (body: NotebookScheduleInput) =>
    unwrap(
      api.PUT("/api/v1/environments/{workload_id}/schedule", {
        params: paramsOf(environmentId),
        body,
      }),
    ),
  );
}

export function useRemoveSchedule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (environmentId: string) =>
      unwrap(
        api.DELETE("/api/v1/environments/{workload_id}/schedule", {
          params: paramsOf(environmentId),
        }),
      ),
    onSuccess: (_answer, environmentId) =>
      client.invalidateQueries({ queryKey: workloadKeys.one(environmentId) }),
  });
}

/** Skips the next scheduled stop. */
export function useKeepToday(environmentId: string) {
  return useScheduleMutation(environmentId, () =>
    unwrap(
      api.POST("/api/v1/environments/{workload_id}/schedule/keep", {
        params: paramsOf(environmentId),
      }),
    ),
  );
}

function useScheduleMutation<Input, Answer>(
  environmentId: string,
  mutationFn: (input: Input) => Promise<Answer>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: workloadKeys.one(environmentId) }),
  });
}
