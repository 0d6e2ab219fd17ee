/** Rules of groups and pools for what is submitted. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { FieldRule, SubmissionRulesInput } from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";
import type { RuledKind, RulesOwner } from "../model/rules";

const rulesKey = ["submission-rules"] as const;
const NONE: readonly FieldRule[] = [];

/** What all rules together say about work of a group in a pool; nothing until it is known. */
export function useRulesInForce(
  kind: RuledKind,
  group: string | undefined,
  pool: string,
): readonly FieldRule[] {
  useListChanges(["group", "pool"], [rulesKey]);
  const found = useQuery({
    queryKey: [...rulesKey, kind, group, pool],
    queryFn: () => {
      const params = { query: { group: group as string, pool } };
      return unwrap(
        kind === "training"
          ? api.GET("/api/v1/job-rules", { params })
          : api.GET("/api/v1/environment-rules", { params }),
      );
    },
    enabled: Boolean(group),
  });
  return found.data ?? NONE;
}

/** What one group or pool says. */
export function useOwnRules(kind: RuledKind, { scope, id }: RulesOwner) {
  useListChanges(["group", "pool"], [rulesKey]);
  return useQuery({
    queryKey: [...rulesKey, kind, scope, id],
    queryFn: () => {
      const params = { path: { owner_id: id } };
      if (scope === "pool")
        return unwrap(
          kind === "training"
            ? api.GET("/api/v1/job-rules/pools/{owner_id}", { params })
            : api.GET("/api/v1/environment-rules/pools/{owner_id}", { params }),
        );
      return unwrap(
        kind === "training"
          ? api.GET("/api/v1/job-rules/groups/{owner_id}", { params })
          : api.GET("/api/v1/environment-rules/groups/{owner_id}", { params }),
      );
    },
  });
}

/** Replace what one group or pool says. */
export function useSetRules(kind: RuledKind, { scope, id }: RulesOwner) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SubmissionRulesInput) => {
      const call = { params: { path: { owner_id: id } }, body };
      if (scope === "pool")
        return unwrap(
          kind === "training"
            ? api.PUT("/api/v1/job-rules/pools/{owner_id}", call)
            : api.PUT("/api/v1/environment-rules/pools/{owner_id}", call),
        );
      return unwrap(
        kind === "training"
          ? api.PUT("/api/v1/job-rules/groups/{owner_id}", call)
          : api.PUT("/api/v1/environment-rules/groups/{owner_id}", call),
      );
    },
    onSuccess: () => client.invalidateQueries({ queryKey: rulesKey }),
  });
}
