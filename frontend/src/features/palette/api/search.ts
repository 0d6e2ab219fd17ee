import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Hit, ListedWorkload } from "@/shared/api/types";
import { useSettled } from "@/shared/workload/api/workloads";
import type { Command } from "../model/commands";

/** One letter is in nearly every name. */
const LETTERS_MIN = 2;
const LETTERS_MAX = 63;
const QUIET_MS = 200;
const WORKS_MAX = 8;

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

/** Work that has not ended, of the reader, to open; to stop, also of others if it is named. */
export function useLiveWork({ verb, rest }: Command): readonly ListedWorkload[] {
  const search = useSettled(rest.slice(0, LETTERS_MAX), QUIET_MS);
  const isOwn = verb === "open" || search === "";
  const query = {
    active: true,
    collapsed: true,
    page_size: WORKS_MAX,
    ...(search && { search }),
    ...(isOwn && { owner: "me" as const }),
  };
  const { data } = useQuery({
    queryKey: ["search", "work", query],
    queryFn: () => unwrap(api.GET("/api/v1/workloads", { params: { query } })),
    enabled: verb === "open" || verb === "stop",
    placeholderData: keepPreviousData,
  });
  return data?.results ?? [];
}
