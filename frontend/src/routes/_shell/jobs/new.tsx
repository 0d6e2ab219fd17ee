import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { JobForm } from "@/features/jobs/components/job-form";
import { useClusterRings } from "@/shared/cluster/api/use-cluster-rings";
import { SubmissionGate } from "@/shared/submission/components/submission-gate";
import { PageHeader } from "@/shared/ui/page-header";

export const Route = createFileRoute("/_shell/jobs/new")({ component: SubmitJobPage });

function SubmitJobPage() {
  const { t } = useTranslation("jobs");
  const navigate = Route.useNavigate();
  useClusterRings();
  return (
    <>
      <PageHeader title={t("newTitle")} about={t("about")} />
      <SubmissionGate kind="training">
        {(choices) => (
          <JobForm
            {...choices}
            onSubmitted={({ id }) => void navigate({ to: "/jobs/$id", params: { id } })}
          />
        )}
      </SubmissionGate>
    </>
  );
}
