import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EntityPage } from "@/app/faults";
import { useJob } from "@/features/jobs/api/jobs";
import { JobForm } from "@/features/jobs/components/job-form";
import type { WorkloadDetail } from "@/shared/api/types";
import { useClusterUpdates } from "@/shared/cluster/api/cluster";
import { SubmissionGate } from "@/shared/submission/components/submission-form";
import { PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/jobs/new")({
  // The job to submit again.
  validateSearch: ({ from }: Record<string, unknown>): { from?: string } =>
    typeof from === "string" ? { from } : {},
  component: SubmitJobPage,
});

function SubmitJobPage() {
  const { t } = useTranslation("jobs");
  const { from } = Route.useSearch();
  useClusterUpdates();
  return (
    <>
      <PageHeader title={t("newTitle")} about={t("about")} />
      {from ? <FormAgain key={from} jobId={from} /> : <NewForm />}
    </>
  );
}

function FormAgain({ jobId }: { jobId: string }) {
  const job = useJob(jobId);
  return <EntityPage query={job}>{(job) => <NewForm like={job} />}</EntityPage>;
}

function NewForm({ like }: { like?: WorkloadDetail }) {
  const navigate = Route.useNavigate();
  return (
    <SubmissionGate kind="training">
      {(choices) => (
        <JobForm
          {...choices}
          like={like}
          onSubmitted={(submitted) => {
            const to = "indexes" in submitted ? "/jobs/arrays/$id" : "/jobs/$id";
            void navigate({ to, params: { id: submitted.id } });
          }}
        />
      )}
    </SubmissionGate>
  );
}
