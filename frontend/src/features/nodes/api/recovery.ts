import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval, useTopics } from "@/shared/live/live";

/** Many nodes may speak at once. */
const PAUSE_MS = 1_000;
const recoveryKey = ["recovery"] as const;

/** What a portal that was restored from a backup still waits for. */
export function useRecovery(isEnabled: boolean) {
  useTopics(isEnabled ? ["nodes"] : [], [recoveryKey], { pauseMs: PAUSE_MS });
  return useQuery({
    queryKey: recoveryKey,
    queryFn: () => unwrap(api.GET("/api/v1/recovery")),
    enabled: isEnabled,
    refetchInterval: useFallbackInterval(),
  });
}

/** Place older work although nodes have not spoken; the server wants the word once more. */
export function useFinishRecovery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { confirm: string }) =>
      unwrap(api.POST("/api/v1/recovery/finish", { body })),
    onSettled: () => client.invalidateQueries({ queryKey: recoveryKey }),
  });
}

/** Stop a container that the portal does not know; the server wants its name once more. */
export function useStopForgotten(containerId: string) {
  const client = useQueryClient();
  const params = { path: { container_id: containerId } };
  return useMutation({
    mutationFn: (body: { name: string }) =>
      unwrap(api.POST("/api/v1/recovery/containers/{container_id}/stop", { params, body })),
    onSettled: () => client.invalidateQueries({ queryKey: recoveryKey }),
  });
}
