/** Where services answer, and the servers that they can run. */
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useConfig } from "@/shared/session/me";

/** Under which origin programs reach services; undefined until the portal has said it. */
export function useServiceOrigin(): string | undefined {
  return useConfig()?.inference_url;
}

/** Servers that services can run as they are. */
export function useServicePresets() {
  return useQuery({
    queryKey: ["service-presets"],
    queryFn: () => unwrap(api.GET("/api/v1/service-presets")),
    select: ({ presets }) => presets,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
