import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { TokenInput } from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";

const tokenKeys = { list: ["tokens", "list"] as const, robots: ["tokens", "robots"] as const };

export function useTokens() {
  useListChanges(["token"], [tokenKeys.list]);
  return useQuery({
    queryKey: tokenKeys.list,
    queryFn: () => unwrap(api.GET("/api/v1/tokens")),
    select: (page) => page.results,
  });
}

export function useRobots() {
  return useQuery({
    queryKey: tokenKeys.robots,
    queryFn: () => unwrap(api.GET("/api/v1/robots")),
    select: (page) => page.results,
  });
}

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: TokenInput) => unwrap(api.POST("/api/v1/tokens", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: tokenKeys.list }),
  });
}

export function useRevokeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (tokenId: string) =>
      unwrap(api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: tokenId } } })),
    onSettled: () => client.invalidateQueries({ queryKey: tokenKeys.list }),
  });
}
