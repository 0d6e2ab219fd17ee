import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Workload } from "@/shared/api/types";
import { useSettled, workloadKeys } from "@/shared/workload/api/workloads";

const SHOWN_MAX = 8;
/** One letter is in nearly every name. */
const LETTERS_MIN = 2;
const QUIET_MS = 200;

/** Work that the reader may see with this in its name, newest first, once the reader pauses. */
export function useWorkByName(text: string): readonly Workload[] {
  const search = useSettled(text.trim(), QUIET_MS);
  const isAsked = search.length >= LETTERS_MIN && text.trim() !== "";
  const { data } = useQuery({
    queryKey: [...workloadKeys.lists, "by-name", search],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/workloads", {
          params: { query: { search, collapsed: true, page_size: SHOWN_MAX } },
        }),
      ),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  return isAsked ? (data?.results ?? []) : [];
}
