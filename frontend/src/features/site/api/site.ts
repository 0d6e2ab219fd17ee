import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { SiteSettingsChange } from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";
import { sessionKeys } from "@/shared/session/me";

const SETTINGS = ["site-settings"] as const;

/** The settings in force, with their bounds and defaults. */
export function useSiteSettings() {
  useListChanges(["site"], [SETTINGS]);
  return useQuery({
    queryKey: SETTINGS,
    queryFn: () => unwrap(api.GET("/api/v1/site-settings")),
  });
}

/** Change settings; they hold at once, on every page that shows the zone as well. */
export function useSaveSiteSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SiteSettingsChange) => unwrap(api.PATCH("/api/v1/site-settings", { body })),
    onSuccess: (answer) => {
      client.setQueryData(SETTINGS, answer);
      return client.invalidateQueries({ queryKey: sessionKeys.config });
    },
    onError: () => client.invalidateQueries({ queryKey: SETTINGS }),
  });
}
