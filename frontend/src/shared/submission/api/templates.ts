/** Templates of jobs and of notebooks, and the rules of groups and pools for both. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { FieldRule, SubmissionRulesInput, TemplateInput } from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";
import type { RuledKind, RulesOwner } from "@/shared/submission/model/templates";
import type { WorkloadKind } from "../model/submission";

const templateKeys = (kind: WorkloadKind) => ["templates", kind] as const;
const PAGE_SIZE = 200;

/** The templates that this person may use. */
export function useTemplates(kind: WorkloadKind) {
  useListChanges(["template"], [templateKeys(kind)]);
  return useQuery({
    queryKey: templateKeys(kind),
    queryFn: () => {
      const params = { query: { page_size: PAGE_SIZE } };
      return unwrap(
        kind === "training"
          ? api.GET("/api/v1/job-templates", { params })
          : api.GET("/api/v1/environment-templates", { params }),
      );
    },
    select: (page) => page.results,
  });
}

/** One template; nothing is fetched without an id. */
export function useTemplate(kind: WorkloadKind, id: string | undefined) {
  return useQuery({
    queryKey: [...templateKeys(kind), id],
    queryFn: () => {
      const params = { path: { template_id: id as string } };
      return unwrap(
        kind === "training"
          ? api.GET("/api/v1/job-templates/{template_id}", { params })
          : api.GET("/api/v1/environment-templates/{template_id}", { params }),
      );
    },
    enabled: id !== undefined,
  });
}

/** Store a template, or change the one with this id. */
export function useSaveTemplate(kind: WorkloadKind, id: string | undefined) {
  return useTemplateMutation(kind, (input: TemplateInput) => {
    const isJob = kind === "training";
    if (id === undefined) {
      const call = { body: input };
      return unwrap(
        isJob
          ? api.POST("/api/v1/job-templates", call)
          : api.POST("/api/v1/environment-templates", call),
      );
    }
    const { scope: _, group: _owner, ...body } = input;
    const call = { params: { path: { template_id: id } }, body };
    return unwrap(
      isJob
        ? api.PUT("/api/v1/job-templates/{template_id}", call)
        : api.PUT("/api/v1/environment-templates/{template_id}", call),
    );
  });
}

export function useDeleteTemplate(kind: WorkloadKind) {
  return useTemplateMutation(kind, (id: string) => {
    const params = { path: { template_id: id } };
    return unwrap(
      kind === "training"
        ? api.DELETE("/api/v1/job-templates/{template_id}", { params })
        : api.DELETE("/api/v1/environment-templates/{template_id}", { params }),
    );
  });
}

function useTemplateMutation<Input, Answer>(
  kind: WorkloadKind,
  mutationFn: (input: Input) => Promise<Answer>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: templateKeys(kind) }),
  });
}

// Rules of groups and pools.

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
    onSettled: () => client.invalidateQueries({ queryKey: rulesKey }),
  });
}
