import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EntityPage } from "@/app/faults";
import { useEnvironment } from "@/features/environments/api/environments";
import { useJob } from "@/features/jobs/api/jobs";
import { JobForm } from "@/features/jobs/components/job-form";
import { jobFormLike } from "@/features/jobs/model/resubmission";
import { readJobOrigin } from "@/features/jobs/model/tabs";
import type { WorkloadDetail } from "@/shared/api/types";
import { useClusterUpdates } from "@/shared/cluster/api/cluster";
import { SubmissionGate } from "@/shared/submission/components/submission-form";
import { PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/jobs/new")({
  validateSearch: readJobOrigin,
  component: SubmitJobPage,
});

function SubmitJobPage() {
  const { t } = useTranslation("jobs");
  const { from, notebook, outputs } = Route.useSearch();
  const job = from ?? outputs;
  useClusterUpdates();
  return (
    <>
      <PageHeader title={t("newTitle")} about={t("about")} />
      {notebook && <FormFromNotebook key={notebook} id={notebook} />}
      {!notebook && (job ? <FormFromJob key={job} id={job} /> : <NewForm />)}
    </>
  );
}

function FormFromNotebook({ id }: { id: string }) {
  const notebook = useEnvironment(id);
  return <EntityPage query={notebook}>{(notebook) => <NewForm like={notebook} />}</EntityPage>;
}

function FormFromJob({ id }: { id: string }) {
  const job = useJob(id);
  return <EntityPage query={job}>{(job) => <NewForm like={job} />}</EntityPage>;
}

function NewForm({ like }: { like?: WorkloadDetail }) {
  const navigate = Route.useNavigate();
  const origin = Route.useSearch();
  return (
    <SubmissionGate kind="training">
      {(choices) => (
        <JobForm
          {...choices}
          again={like && jobFormLike(like, origin, choices)}
          onSubmitted={(submitted) => {
            const to = "indexes" in submitted ? "/jobs/arrays/$id" : "/jobs/$id";
            void navigate({ to, params: { id: submitted.id } });
          }}
        />
      )}
    </SubmissionGate>
  );
}
