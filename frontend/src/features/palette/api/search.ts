import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Hit } from "@/shared/api/types";
import { useSettled } from "@/shared/workload/api/workloads";

/** One letter is in nearly every name. */
const LETTERS_MIN = 2;
const LETTERS_MAX = 63;
const QUIET_MS = 200;

/** What the reader may see with this in its name, of all kinds, once the reader pauses. */
export function useHits(text: string): readonly Hit[] {
  const asked = useSettled(text.trim().slice(0, LETTERS_MAX), QUIET_MS);
  const isAsked = asked.length >= LETTERS_MIN && text.trim() !== "";
  const { data } = useQuery({
    queryKey: ["search", asked],
    queryFn: () => unwrap(api.GET("/api/v1/search", { params: { query: { text: asked } } })),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  return isAsked ? (data?.hits ?? []) : [];
}
