/** When a notebook starts and stops by itself. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { NotebookScheduleInput } from "@/shared/api/types";
import { workloadKeys } from "@/shared/workload/api/workloads";

const keyOf = (environmentId: string) => [...workloadKeys.one(environmentId), "schedule"] as const;
const paramsOf = (environmentId: string) => ({ path: { workload_id: environmentId } });

/** The schedule; it has no days where none was set. */
export function useSchedule(environmentId: string) {
  return useQuery({
    queryKey: keyOf(environmentId),
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
