/** Work as the body that would submit it again: for forms, templates and files. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/shared/api/client";
import { workloadKeys } from "@/shared/workload/api/workloads";
import type { SubmissionBody } from "../model/likeness";
import { IdempotencyKeys, type WorkloadKind } from "../model/submission";
import type { Submitted } from "./submission";

const PLURALS: Record<WorkloadKind, "environments" | "jobs"> = {
  environment: "environments",
  training: "jobs",
};

/** The body of work that exists; nothing is fetched without an id. */
export function useManifest(kind: WorkloadKind, id: string | undefined) {
  return useQuery({
    queryKey: [...workloadKeys.one(id ?? ""), "manifest"],
    queryFn: async (): Promise<SubmissionBody> => {
      const params = { path: { workload_id: id as string } };
      const {
        apiVersion: _,
        kind: _kind,
        ...body
      } = await unwrap(
        kind === "training"
          ? api.GET("/api/v1/jobs/{workload_id}/manifest", { params })
          : api.GET("/api/v1/environments/{workload_id}/manifest", { params }),
      );
      return body;
    },
    enabled: id !== undefined,
  });
}

/** Where it is downloaded as YAML. */
export function manifestAddress(kind: WorkloadKind, id: string): string {
  return `/api/v1/${PLURALS[kind]}/${id}/manifest?format=yaml`;
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
