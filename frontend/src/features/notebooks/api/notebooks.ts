import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { EnvironmentInput, NotebookScheduleInput } from "@/shared/api/types";
import { useFallbackInterval } from "@/shared/live/live";
import { useSubmission } from "@/shared/submission/api/submission";
import { workloadKeys } from "@/shared/workload/api/workloads";

export function useNotebook(notebookId: string) {
  return useQuery({
    queryKey: workloadKeys.detail(notebookId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/environments/{workload_id}", {
          params: { path: { workload_id: notebookId } },
        }),
      ),
    refetchInterval: useFallbackInterval(),
  });
}

export function useCreateNotebook() {
  return useSubmission((body: EnvironmentInput, key) =>
    unwrap(
      api.POST("/api/v1/environments", { body, params: { header: { "Idempotency-Key": key } } }),
    ),
  );
}

export type NotebookAction = "start" | "stop" | "keep" | "gpus" | "restart" | "delete";

/** Do something with a notebook; its page then shows what the server made of it. */
export function useNotebookAction(notebookId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (action: NotebookAction) => {
      const params = { path: { workload_id: notebookId } };
      if (action === "delete") {
        await unwrap(api.DELETE("/api/v1/environments/{workload_id}", { params }));
      } else {
        await unwrap(api.POST(`/api/v1/environments/{workload_id}/${action}`, { params }));
      }
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: workloadKeys.one(notebookId) }),
        client.invalidateQueries({ queryKey: workloadKeys.lists }),
      ]),
  });
}

// The schedule: when a notebook starts and stops by itself.

const scheduleKey = (notebookId: string) => [...workloadKeys.one(notebookId), "schedule"] as const;
const paramsOf = (notebookId: string) => ({ path: { workload_id: notebookId } });

/** The schedule; it has no days where none was set. */
export function useSchedule(notebookId: string) {
  return useQuery({
    queryKey: scheduleKey(notebookId),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/environments/{workload_id}/schedule", { params: paramsOf(notebookId) }),
      ),
  });
}

export function useSaveSchedule(notebookId: string) {
  return useScheduleMutation(notebookId, (body: NotebookScheduleInput) =>
    unwrap(
      api.PUT("/api/v1/environments/{workload_id}/schedule", {
        params: paramsOf(notebookId),
        body,
      }),
    ),
  );
}

export function useRemoveSchedule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (notebookId: string) =>
      unwrap(
        api.DELETE("/api/v1/environments/{workload_id}/schedule", {
          params: paramsOf(notebookId),
        }),
      ),
    onSuccess: (_answer, notebookId) =>
      client.invalidateQueries({ queryKey: workloadKeys.one(notebookId) }),
  });
}

/** Skips the next scheduled stop. */
export function useKeepToday(notebookId: string) {
  return useScheduleMutation(notebookId, () =>
    unwrap(
      api.POST("/api/v1/environments/{workload_id}/schedule/keep", {
        params: paramsOf(notebookId),
      }),
    ),
  );
}

function useScheduleMutation<Input, Answer>(
  notebookId: string,
  mutationFn: (input: Input) => Promise<Answer>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: workloadKeys.one(notebookId) }),
  });
}
