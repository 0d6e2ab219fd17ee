/** What was held and used, waits, the weeks of the cluster, and prices. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { PriceInput } from "@/shared/api/types";
import type { UsageQuery } from "../model/usage";

const USAGE = ["usage"] as const;
const PRICES = ["usage", "prices"] as const;
/** The meter counts every minute. */
const FRESH_MS = 60_000;
export const WEEKS = 26;

export function useUsage(query: UsageQuery, enabled = true) {
  return useQuery({
    enabled,
    queryKey: [...USAGE, "rows", query],
    queryFn: () => unwrap(api.GET("/api/v1/usage", { params: { query } })),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
}

export function useWaits({ first_day, last_day, group, user }: UsageQuery) {
  const asked = { first_day, last_day, ...(group && { group }), ...(user && { user }) };
  return useQuery({
    queryKey: [...USAGE, "waits", asked],
    queryFn: () => unwrap(api.GET("/api/v1/usage/waits", { params: { query: asked } })),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    select: ({ rows }) => rows,
  });
}

export function useClusterWeeks() {
  return useQuery({
    queryKey: [...USAGE, "weeks"],
    queryFn: () => unwrap(api.GET("/api/v1/usage/weeks", { params: { query: { weeks: WEEKS } } })),
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
    select: ({ weeks }) => weeks,
  });
}

export function usePrices() {
  return useQuery({
    queryKey: PRICES,
    queryFn: () => unwrap(api.GET("/api/v1/gpu-prices")),
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
