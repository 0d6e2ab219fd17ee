/** What a person has done here already. */
import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Workload } from "@/shared/api/types";
import { workloadKeys } from "@/shared/workload/api/workloads";

export type FirstStep = "notebook" | "job" | "sshKey";

/** Which first steps have been taken; work counts also after it has ended. */
export function useFirstSteps() {
  return useQuery({
    queryKey: [...workloadKeys.lists, "first-steps"],
    queryFn: async (): Promise<Record<FirstStep, boolean>> => {
      const [notebook, job, keys] = await Promise.all([
        hasWork("environment"),
        hasWork("training"),
        unwrap(api.GET("/api/v1/ssh-keys")),
      ]);
      return { notebook, job, sshKey: keys.results.length > 0 };
    },
  });
}

async function hasWork(kind: Workload["kind"]): Promise<boolean> {
  const query = { owner: "me", kind, page_size: 1 } as const;
  return (await unwrap(api.GET("/api/v1/workloads", { params: { query } }))).results.length > 0;
}
