import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EntityPage } from "@/app/faults";
import { EnvironmentForm } from "@/features/environments/components/environment-form";
import { notebookFormLike } from "@/features/environments/model/environment";
import { useJob } from "@/features/jobs/api/jobs";
import type { WorkloadDetail } from "@/shared/api/types";
import { useClusterUpdates } from "@/shared/cluster/api/cluster";
import { SubmissionGate } from "@/shared/submission/components/submission-form";
import { PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/notebooks/new")({
  // The job whose files, image and size the notebook has.
  validateSearch: ({ job }: Record<string, unknown>): { job?: string } =>
    typeof job === "string" ? { job } : {},
  component: NewNotebookPage,
});

function NewNotebookPage() {
  const { t } = useTranslation("environments");
  const { job } = Route.useSearch();
  useClusterUpdates();
  return (
    <>
      <PageHeader title={t("newTitle")} about={t("about")} />
      {job ? <NotebookLikeJob key={job} id={job} /> : <NotebookForm />}
    </>
  );
}

function NotebookLikeJob({ id }: { id: string }) {
  const job = useJob(id);
  return <EntityPage query={job}>{(job) => <NotebookForm like={job} />}</EntityPage>;
}

function NotebookForm({ like }: { like?: WorkloadDetail }) {
  const navigate = Route.useNavigate();
  return (
    <SubmissionGate kind="environment">
      {(choices) => (
        <EnvironmentForm
          {...choices}
          again={like && notebookFormLike(like, choices)}
          onCreated={({ id }) => void navigate({ to: "/notebooks/$id", params: { id } })}
        />
      )}
    </SubmissionGate>
  );
}
