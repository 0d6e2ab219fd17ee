/** What the rows of a list held: asked for by the columns that show it, for all rows together. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { createContext, use } from "react";
import { api, unwrap } from "@/shared/api/client";
import type { ListedUse } from "@/shared/api/types";

/** Workloads in one answer. */
const IDS_MAX = 50;
/** The meter and the samples go on without an event. */
const RENEW_MS = 30_000;

/** The ids of the rows. */
export const RowsContext = createContext<readonly string[]>([]);

/** The use of one row; undefined before it is known. */
export function useListedUse(id: string): ListedUse | undefined {
  const rows = use(RowsContext);
  return useQuery({
    queryKey: ["workloads", "listed-use", rows] as const,
    queryFn: () => readUses(rows),
    select: (uses) => uses.find(({ workload }) => workload === id),
    placeholderData: keepPreviousData,
    staleTime: RENEW_MS,
    refetchInterval: RENEW_MS,
  }).data;
}

async function readUses(rows: readonly string[]): Promise<ListedUse[]> {
  const querySerializer = { array: { style: "form", explode: false } } as const;
  const parts = Array.from({ length: Math.ceil(rows.length / IDS_MAX) }, (_, part) =>
    rows.slice(part * IDS_MAX, (part + 1) * IDS_MAX),
  );
  const answers = await Promise.all(
    parts.map((ids) =>
      unwrap(api.GET("/api/v1/usage/workloads", { params: { query: { ids } }, querySerializer })),
    ),
  );
  return answers.flatMap(({ uses }) => uses);
}
