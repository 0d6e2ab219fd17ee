import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { isRetryable } from "@/shared/api/problem";
import type { DryRunInput } from "@/shared/api/types";
import { useSettled } from "@/shared/lib/use-settled";
import { workloadKeys } from "./keys";

const QUIET_MS = 300;
const REFRESH_MS = 5_000;

/** What would happen if this were submitted now; asked again while the form stays open. */
export function useDryRun(draft: DryRunInput | null) {
  const settled = useSettled(draft, QUIET_MS);
  return useQuery({
    queryKey: workloadKeys.dryRun(settled ?? {}),
    queryFn: () => {
      if (!settled) throw new Error("asked without a draft");
      return unwrap(api.POST("/api/v1/workloads/dry-run", { body: settled }));
    },
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    retry: (failures, error) => failures < 1 && isRetryable(error),
  });
}
