/** What is done to one row of a list: to a job or all tasks of its array, a notebook, an app. Tags of work, too. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { ListedWorkload } from "@/shared/api/types";
import { termsOf } from "../model/kinds";
import { workloadKeys } from "./workloads";

export type RowAction = ListedWorkload["actions"][number];

type ActedOn = Pick<ListedWorkload, "id" | "array">;

export function runRowAction(row: ActedOn, action: RowAction): Promise<unknown> {
  const params = { path: { workload_id: row.id } };
  switch (action) {
    case "cancel":
    case "hold":
    case "release":
      return row.array
        ? unwrap(
            api.POST(`/api/v1/job-arrays/{array_id}/${action}`, {
              params: { path: { array_id: row.array.id } },
            }),
          )
        : unwrap(api.POST(`/api/v1/jobs/{workload_id}/${action}`, { params }));
    case "requeue":
      return unwrap(api.POST("/api/v1/jobs/{workload_id}/requeue", { params }));
    case "stop":
    case "start":
      return unwrap(api.POST(`/api/v1/environments/{workload_id}/${action}`, { params }));
    case "delete":
      return unwrap(api.DELETE("/api/v1/environments/{workload_id}", { params }));
    case "remove":
      return row.array
        ? unwrap(
            api.DELETE("/api/v1/job-arrays/{array_id}", {
              params: { path: { array_id: row.array.id } },
            }),
          )
        : unwrap(api.DELETE("/api/v1/workloads/{workload_id}", { params }));
    case "close":
      return unwrap(api.POST("/api/v1/app-sessions/{workload_id}/close", { params }));
  }
}

/** Stop work by the verb of its kind. */
export function useStopWork() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, kind }: { id: string; kind: string }) =>
      runRowAction({ id, array: null }, termsOf(kind).stop),
    onSettled: () => client.invalidateQueries({ queryKey: ["workloads"] }),
  });
}

/** Hands work of somebody who left over to a member, by the user name. */
export function useHandOver(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (to: string) =>
      unwrap(
        api.POST("/api/v1/workloads/{workload_id}/handover", {
          params: { path: { workload_id: id } },
          body: { to },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ["workloads"] }),
  });
}

/** Replaces the tags of one piece of work. */
export function useSaveTags(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (tags: string[]) =>
      unwrap(
        api.PUT("/api/v1/workloads/{workload_id}/tags", {
          params: { path: { workload_id: id } },
          body: { tags },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: workloadKeys.one(id) }),
  });
}
