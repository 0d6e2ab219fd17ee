/** Templates of jobs and of notebooks, and the rules of groups and pools for both. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { KINDS } from "@/shared/api/kinds.gen";
import type { FieldRule, SubmissionRulesInput, TemplateInput } from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";
import type { RulesOwner } from "@/shared/submission/model/templates";
import type { SubmittedKind } from "@/shared/workload/model/kinds";

const templateKeys = (kind: SubmittedKind) => ["templates", kind] as const;
const PAGE_SIZE = 200;

/** The templates that this person may use. */
export function useTemplates(kind: SubmittedKind, enabled = true) {
  useListChanges(enabled ? ["template"] : [], [templateKeys(kind)]);
  return useQuery({
    enabled,
    queryKey: templateKeys(kind),
    queryFn: () => {
      const params = { query: { page_size: PAGE_SIZE } };
      return unwrap(api.GET(`/api/v1/${KINDS[kind].operation}-templates`, { params }));
    },
    select: (page) => page.results,
  });
}

/** One template; nothing is fetched without an id. */
export function useTemplate(kind: SubmittedKind, id: string | undefined) {
  return useQuery({
    queryKey: [...templateKeys(kind), id],
    queryFn: () => {
      const params = { path: { template_id: id as string } };
      return unwrap(
        api.GET(`/api/v1/${KINDS[kind].operation}-templates/{template_id}`, { params }),
      );
    },
    enabled: id !== undefined,
  });
}

/** Store a template, or change the one with this id. */
export function useSaveTemplate(kind: SubmittedKind, id: string | undefined) {
  return useTemplateMutation(kind, (input: TemplateInput) => {
    const { operation } = KINDS[kind];
    if (id === undefined)
      return unwrap(api.POST(`/api/v1/${operation}-templates`, { body: input }));
    const { scope: _, group: _owner, ...body } = input;
    const params = { path: { template_id: id } };
    return unwrap(api.PUT(`/api/v1/${operation}-templates/{template_id}`, { params, body }));
  });
}

export function useDeleteTemplate(kind: SubmittedKind) {
  return useTemplateMutation(kind, (id: string) => {
    const params = { path: { template_id: id } };
    return unwrap(
      api.DELETE(`/api/v1/${KINDS[kind].operation}-templates/{template_id}`, { params }),
    );
  });
}

function useTemplateMutation<Input, Answer>(
  kind: SubmittedKind,
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
  kind: SubmittedKind,
  group: string | undefined,
  pool: string,
): readonly FieldRule[] {
  useListChanges(["group", "pool"], [rulesKey]);
  const found = useQuery({
    queryKey: [...rulesKey, kind, group, pool],
    queryFn: () => {
      const params = { query: { group: group as string, pool } };
      return unwrap(api.GET(`/api/v1/${KINDS[kind].operation}-rules`, { params }));
    },
    enabled: Boolean(group),
  });
  return found.data ?? NONE;
}

/** What one group or pool says. */
export function useOwnRules(kind: SubmittedKind, { scope, id }: RulesOwner) {
  useListChanges(["group", "pool"], [rulesKey]);
  return useQuery({
    queryKey: [...rulesKey, kind, scope, id],
    queryFn: () => {
      const params = { path: { owner_id: id } };
      return unwrap(
        api.GET(`/api/v1/${KINDS[kind].operation}-rules/${scope}s/{owner_id}`, { params }),
      );
    },
  });
}

/** Replace what one group or pool says. */
export function useSetRules(kind: SubmittedKind, { scope, id }: RulesOwner) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SubmissionRulesInput) => {
      const params = { path: { owner_id: id } };
      return unwrap(
        api.PUT(`/api/v1/${KINDS[kind].operation}-rules/${scope}s/{owner_id}`, { params, body }),
      );
    },
    onSettled: () => client.invalidateQueries({ queryKey: rulesKey }),
  });
}
