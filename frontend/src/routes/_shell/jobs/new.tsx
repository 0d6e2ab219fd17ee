import { createFileRoute } from "@tanstack/react-router";
import { JobForm } from "@/features/jobs/components/job-form";
import { type JobOrigin, jobFormLike, readJobOrigin } from "@/features/jobs/model/resubmission";
import { JOB, NOTEBOOK } from "@/shared/api/kinds.gen";
import { useClusterUpdates } from "@/shared/cluster/api/nodes";
import { useTranslation } from "@/shared/i18n/language";
import { SubmissionStart } from "@/shared/submission/components/start-from";
import { SubmissionGate } from "@/shared/submission/components/submission-form";
import type { SubmissionBody } from "@/shared/submission/model/submission";

export const Route = createFileRoute("/_shell/jobs/new")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as JobOrigin,
  component: SubmitJobPage,
});

function SubmitJobPage() {
  const { t } = useTranslation("jobs");
  const origin = readJobOrigin({ ...Route.useSearch() });
  const navigate = Route.useNavigate();
  useClusterUpdates();
  return (
    <SubmissionStart
      title={t("newTitle")}
      kind={JOB.kind}
      origin={origin}
      work={workOf(origin)}
      onChoose={(search) => void navigate({ search })}
    >
      {(body) => <NewForm key={JSON.stringify(origin)} body={body} />}
    </SubmissionStart>
  );
}

function workOf({ from, outputs, notebook }: JobOrigin) {
  if (notebook) return { kind: NOTEBOOK.kind, id: notebook } as const;
  const job = from ?? outputs;
  return job ? ({ kind: JOB.kind, id: job } as const) : undefined;
}

function NewForm({ body }: { body: SubmissionBody | undefined }) {
  const navigate = Route.useNavigate();
  const origin = readJobOrigin({ ...Route.useSearch() });
  return (
    <SubmissionGate kind={JOB.kind}>
      {(choices) => (
        <JobForm
          {...choices}
          again={jobFormLike(body, origin, choices)}
          onSubmitted={(submitted) => {
            const to = "indexes" in submitted ? "/jobs/arrays/$id" : "/jobs/$id";
            void navigate({ to, params: { id: submitted.id } });
          }}
        />
      )}
    </SubmissionGate>
  );
}
