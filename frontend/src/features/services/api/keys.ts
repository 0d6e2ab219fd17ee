/** The keys by which programs call a service. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { ServiceKeyInput } from "@/shared/api/types";
import { serviceKeys } from "./services";

/** Its keys that were not revoked, newest first. */
export function useKeys(serviceId: string) {
  return useQuery({
    queryKey: serviceKeys.part(serviceId, "keys"),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/services/{service_id}/keys", {
          params: { path: { service_id: serviceId } },
        }),
      ),
    select: ({ results }) => results,
  });
}

/** Issue a key: its secret is in this answer only. */
export function useIssueKey(serviceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ServiceKeyInput) =>
      unwrap(
        api.POST("/api/v1/services/{service_id}/keys", {
          params: { path: { service_id: serviceId } },
          body,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: serviceKeys.part(serviceId, "keys") }),
  });
}

export function useRevokeKey(serviceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (keyId: string) =>
      unwrap(
        api.DELETE("/api/v1/services/{service_id}/keys/{key_id}", {
          params: { path: { service_id: serviceId, key_id: keyId } },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: serviceKeys.part(serviceId, "keys") }),
  });
}
