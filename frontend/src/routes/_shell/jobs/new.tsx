import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EntityPage } from "@/app/faults";
import { useJob } from "@/features/jobs/api/jobs";
import { JobForm } from "@/features/jobs/components/job-form";
import type { WorkloadDetail } from "@/shared/api/types";
import { useClusterUpdates } from "@/shared/cluster/api/cluster";
import { SubmissionGate } from "@/shared/submission/components/submission-form";
import { PageHeader } from "@/shared/ui/page";
import { type ChangedValues, searchOf } from "@/shared/workload/model/ways-out";

export const Route = createFileRoute("/_shell/jobs/new")({
  // The job to submit again, and what to change of it.
  validateSearch: (search: Record<string, unknown>): { from?: string } & ChangedValues =>
    typeof search.from === "string" ? { from: search.from, ...searchOf(search) } : {},
  component: SubmitJobPage,
});

function SubmitJobPage() {
  const { t } = useTranslation("jobs");
  const { from, ...changes } = Route.useSearch();
  useClusterUpdates();
  return (
    <>
      <PageHeader title={t("newTitle")} about={t("about")} />
      {from ? <FormAgain key={from} jobId={from} changes={changes} /> : <NewForm />}
    </>
  );
}

function FormAgain({ jobId, changes }: { jobId: string; changes: ChangedValues }) {
  const job = useJob(jobId);
  return <EntityPage query={job}>{(job) => <NewForm like={job} changes={changes} />}</EntityPage>;
}

function NewForm({ like, changes }: { like?: WorkloadDetail; changes?: ChangedValues }) {
  const navigate = Route.useNavigate();
  return (
    <SubmissionGate kind="training">
      {(choices) => (
        <JobForm
          {...choices}
          like={like}
          changes={changes}
          onSubmitted={(submitted) => {
            const to = "indexes" in submitted ? "/jobs/arrays/$id" : "/jobs/$id";
            void navigate({ to, params: { id: submitted.id } });
          }}
        />
      )}
    </SubmissionGate>
  );
}
