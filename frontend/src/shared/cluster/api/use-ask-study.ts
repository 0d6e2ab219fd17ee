import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { StudyInput } from "@/shared/api/types";
import { clusterKeys } from "./keys";

/** Ask how the last days would have gone under other rules, other limits or with more servers. */
export function useAskStudy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: StudyInput) => unwrap(api.POST("/api/v1/studies", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: clusterKeys.studies }),
  });
}
