import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useConfig } from "@/shared/session/me";

const DEMO = ["demo"] as const;

/** What of this installation is simulated; asked only where the cards are. */
export function useDemo() {
  const isPossible = useConfig()?.is_simulated ?? false;
  return useQuery({
    queryKey: DEMO,
    queryFn: () => unwrap(api.GET("/api/v1/demo")),
    enabled: isPossible,
  }).data;
}

/** Switches on or off that people of the demo submit work; what they have running ends within minutes. */
export function useSwitchActivity() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (activity: boolean) => unwrap(api.PATCH("/api/v1/demo", { body: { activity } })),
    onSuccess: (demo) => client.setQueryData(DEMO, demo),
  });
}

/** Has all that was simulated removed; it takes a while. */
export function useRemoveSimulated() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/api/v1/demo")),
    onSuccess: () => client.invalidateQueries({ queryKey: DEMO }),
  });
}
