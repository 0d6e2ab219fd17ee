/** Submitting work, changing it, and reading back what was submitted. */
import {
  type UseMutationResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/shared/api/client";
import { KINDS } from "@/shared/api/kinds.gen";
import type { JobArray, WorkloadChange, WorkloadDetail } from "@/shared/api/types";
import { useMe } from "@/shared/session/me";
import { workloadKeys } from "@/shared/workload/api/workloads";
import { type SubmittedKind, submittedKind } from "@/shared/workload/model/kinds";
import { programsOf } from "../model/files";
import {
  IdempotencyKeys,
  keepDraft,
  readDraft,
  type SubmissionBody,
  type SubmissionChoices,
  type SubmissionValues,
} from "../model/submission";

/** What was submitted: work, or an array of it. */
export type Submitted = WorkloadDetail | JobArray;
export type Submission<Input, Result extends Submitted = WorkloadDetail> = UseMutationResult<
  Result,
  Error,
  Input
>;

/** Submit work once per content, however often the button is pressed; `post` sends it. */
export function useSubmission<Input extends object, Result extends Submitted = WorkloadDetail>(
  post: (body: Input, idempotencyKey: string) => Promise<Result>,
): Submission<Input, Result> {
  const client = useQueryClient();
  const [keys] = useState(() => new IdempotencyKeys());
  return useMutation({
    mutationFn: (body: Input) => post(body, keys.for(body)),
    onSuccess: (submitted) => {
      const isArray = "indexes" in submitted;
      const key = isArray ? workloadKeys.array(submitted.id) : workloadKeys.detail(submitted.id);
      client.setQueryData<Submitted>(key, submitted);
      return client.invalidateQueries({ queryKey: workloadKeys.lists });
    },
  });
}

/**
 * What this reader typed into the form at this address and did not submit, and how to keep that: the tab
 * remembers it when the page, or the session, is left. Another address names what its form begins with.
 */
export function useDraft<Values extends SubmissionValues>(
  work: SubmittedKind,
  offered: SubmissionChoices,
  again: Partial<Values> | undefined,
) {
  const { id } = useMe();
  const { group: _, ...origin } = useSearch({ strict: false }) as Record<string, unknown>;
  const [form] = useState(() => JSON.stringify([id, work, origin]));
  const [draft, setDraft] = useState(() => readDraft<Values>(sessionStorage, form, offered, again));
  const keep = (values: Partial<Values> | null) => keepDraft(sessionStorage, form, values);
  return {
    draft,
    keep,
    beginAnew: () => {
      keep(null);
      setDraft(null);
    },
  };
}

export function useChangeWorkload(workload: Pick<WorkloadDetail, "id" | "kind">) {
  const client = useQueryClient();
  const { id } = workload;
  const { plural } = KINDS[submittedKind(workload)];
  const params = { path: { workload_id: id } };
  return useMutation({
    mutationFn: (body: WorkloadChange) =>
      unwrap(api.PATCH(`/api/v1/${plural}/{workload_id}`, { params, body })),
    onSuccess: (workload) => {
      client.setQueryData(workloadKeys.detail(id), workload);
      void client.invalidateQueries({ queryKey: workloadKeys.one(id) });
      return client.invalidateQueries({ queryKey: workloadKeys.lists });
    },
  });
}

// The body of work that exists: for forms, templates and files.

/** The body of work that exists; nothing is fetched without an id. */
export function useManifest(kind: SubmittedKind, id: string | undefined) {
  return useQuery({
    queryKey: [...workloadKeys.one(id ?? ""), "manifest"],
    queryFn: async (): Promise<SubmissionBody> => {
      const params = { path: { workload_id: id as string } };
      const {
        apiVersion: _,
        kind: _kind,
        ...body
      } = await unwrap(api.GET(`/api/v1/${KINDS[kind].plural}/{workload_id}/manifest`, { params }));
      return body;
    },
    enabled: id !== undefined,
  });
}

/** Where it is downloaded as YAML. */
export function manifestAddress(kind: SubmittedKind, id: string): string {
  return `/api/v1/${KINDS[kind].plural}/${id}/manifest?format=yaml`;
}

/** What a document says that it is; a job where it says nothing that is known. */
function pathOf(text: string) {
  const [, kind] = /^kind:\s*["']?(\w+)/m.exec(text) ?? [];
  if (kind === "Environment") return "/api/v1/environments";
  return kind === "JobArray" ? "/api/v1/job-arrays" : "/api/v1/jobs";
}

/** Submit a YAML document, once per content. */
export function useSubmitManifest() {
  const client = useQueryClient();
  const [keys] = useState(() => new IdempotencyKeys());
  return useMutation({
    mutationFn: (text: string): Promise<Submitted> =>
      unwrap(
        api.POST(pathOf(text), {
          // The document is sent as it was written.
          body: text as never,
          bodySerializer: () => text,
          headers: { "Content-Type": "application/yaml" },
          params: { header: { "Idempotency-Key": keys.for({ text }) } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: workloadKeys.lists }),
  });
}

const FOLDERS_MAX = 12;
const ENTRIES_MAX = 200;

/** The programs in my home and in its folders, the newest first. */
export function useHomePrograms() {
  return useQuery({
    queryKey: ["files", "home-programs"],
    queryFn: async () => {
      const { id } = await unwrap(api.POST("/api/v1/volumes/home"));
      const list = async (path: string) => {
        const query = { path, sort: "modified", descending: true, limit: ENTRIES_MAX } as const;
        const params = { path: { volume_id: id }, query };
        const { entries } = await unwrap(api.GET("/api/v1/volumes/{volume_id}/files", { params }));
        const start = path && `${path}/`;
        return entries.map((entry) => ({ ...entry, path: start + entry.name }));
      };
      const top = await list("");
      const folders = top
        .filter(({ name, kind }) => kind === "folder" && !name.startsWith("."))
        .slice(0, FOLDERS_MAX);
      const below = await Promise.all(folders.map(({ path }) => list(path)));
      return programsOf([...top, ...below.flat()]);
    },
  });
}

const SHOWN = 50;

/** The newest jobs of a group, whose outputs other work may read. */
export function useRecentJobs(groupId: string | undefined) {
  return useQuery({
    queryKey: [...workloadKeys.lists, "recent", groupId],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/jobs", {
          params: { query: { group: groupId as string, page_size: SHOWN } },
        }),
      ),
    select: (page) => page.results,
    enabled: groupId !== undefined,
  });
}
