/** What was held and used, waits, reports, the weeks of the cluster, prices, and the day of the site. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { PriceInput } from "@/shared/api/types";
import { useFallbackInterval, useListChanges } from "@/shared/live/live";
import { useConfig } from "@/shared/session/me";
import { useNow } from "@/shared/ui/time";
import { dateAtSite, type UsageQuery } from "../model/usage";

const USAGE = ["usage"] as const;
/** The meter counts every minute, and says so. */
const FRESH_MS = 60_000;
export const WEEKS = 26;

/** Fetch again what the meter has counted anew, or what has another price. */
function useCounts() {
  useListChanges(["usage", "price"], [USAGE]);
}

export function useUsage(query: UsageQuery, enabled = true) {
  useCounts();
  return useQuery({
    enabled,
    queryKey: [...USAGE, "rows", query],
    queryFn: () => unwrap(api.GET("/api/v1/usage", { params: { query } })),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: useFallbackInterval(),
  });
}

export function useWaits({ first_day, last_day, group, user }: UsageQuery) {
  useCounts();
  const asked = { first_day, last_day, ...(group && { group }), ...(user && { user }) };
  return useQuery({
    queryKey: [...USAGE, "waits", asked],
    queryFn: () => unwrap(api.GET("/api/v1/usage/waits", { params: { query: asked } })),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    select: ({ rows }) => rows,
  });
}

/** A month in full. */
export function useReport(month: string, group: string | undefined) {
  useCounts();
  const asked = { month, ...(group && { group }) };
  return useQuery({
    queryKey: [...USAGE, "report", asked],
    queryFn: () => unwrap(api.GET("/api/v1/usage/report", { params: { query: asked } })),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: useFallbackInterval(),
  });
}

export function useClusterWeeks() {
  useCounts();
  return useQuery({
    queryKey: [...USAGE, "weeks"],
    queryFn: () => unwrap(api.GET("/api/v1/usage/weeks", { params: { query: { weeks: WEEKS } } })),
    staleTime: FRESH_MS,
    refetchInterval: useFallbackInterval(),
    select: ({ weeks }) => weeks,
  });
}

export function useSetPrice() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: PriceInput) => unwrap(api.POST("/api/v1/gpu-prices", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: USAGE }),
  });
}

export function useRemovePrice() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE("/api/v1/gpu-prices/{price_id}", { params: { path: { price_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: USAGE }),
  });
}

/** Today by the site's clock: its days are what the meter counts, wherever the reader is. */
export function useSiteToday(): Date {
  return dateAtSite(useNow(), useConfig()?.time_zone);
}
