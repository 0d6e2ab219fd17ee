/** Web apps of the catalogue, and their sessions: started on a folder, opened, closed. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { AppSessionInput, WebAppInput } from "@/shared/api/types";
import { useFallbackInterval, useListChanges } from "@/shared/live/live";
import { openInTab, ticketOf, workloadKeys } from "@/shared/workload/api/workloads";

const APPS = ["apps"] as const;
const STALE_MS = 60_000;

/** The web apps that can be started; administrators get withdrawn ones too. */
export function useApps() {
  useListChanges(["web_app"], [APPS]);
  return useQuery({
    queryKey: APPS,
    queryFn: () => unwrap(api.GET("/api/v1/apps")),
    select: ({ results }) => results,
    staleTime: STALE_MS,
  });
}

/** The web apps that administrators can add as they are, once an image has their program. */
export function useAppPresets() {
  return useQuery({
    queryKey: ["app-presets"],
    queryFn: () => unwrap(api.GET("/api/v1/app-presets")),
    select: ({ presets }) => presets,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Add a web app, or change the one with this id. */
export function useSaveApp(id: string | undefined) {
  return useAppMutation(({ name, ...body }: WebAppInput) =>
    id === undefined
      ? unwrap(api.POST("/api/v1/apps", { body: { name, ...body } }))
      : unwrap(api.PATCH("/api/v1/apps/{app_id}", { params: { path: { app_id: id } }, body })),
  );
}

/** Withdraw a web app, or offer it again. */
export function useOfferApp(id: string) {
  return useAppMutation((is_active: boolean) =>
    unwrap(
      api.PATCH("/api/v1/apps/{app_id}", { params: { path: { app_id: id } }, body: { is_active } }),
    ),
  );
}

function useAppMutation<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: APPS }),
  });
}

/** Start an app on a folder and open it in a new tab, or open the session that runs there already. */
export function useStartApp() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: AppSessionInput) =>
      openInTab(async () => {
        const { id, kind } = await unwrap(api.POST("/api/v1/app-sessions", { body }));
        return ticketOf(id, kind);
      }),
    onSettled: () => client.invalidateQueries({ queryKey: workloadKeys.lists }),
  });
}

export function useAppSession(id: string) {
  return useQuery({
    queryKey: workloadKeys.detail(id),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/app-sessions/{workload_id}", { params: { path: { workload_id: id } } }),
      ),
    refetchInterval: useFallbackInterval(),
  });
}

export function useCloseApp(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/v1/app-sessions/{workload_id}/close", {
          params: { path: { workload_id: id } },
        }),
      ),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: workloadKeys.one(id) }),
        client.invalidateQueries({ queryKey: workloadKeys.lists }),
      ]),
  });
}
