import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EnvironmentForm } from "@/features/environments/components/environment-form";
import { useClusterUpdates } from "@/shared/cluster/api/cluster";
import { SubmissionGate } from "@/shared/submission/components/submission-form";
import { PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/notebooks/new")({ component: NewNotebookPage });

function NewNotebookPage() {
  const { t } = useTranslation("environments");
  const navigate = Route.useNavigate();
  useClusterUpdates();
  return (
    <>
      <PageHeader title={t("newTitle")} about={t("about")} />
      <SubmissionGate kind="environment">
        {(choices) => (
          <EnvironmentForm
            {...choices}
            onCreated={({ id }) => void navigate({ to: "/notebooks/$id", params: { id } })}
          />
        )}
      </SubmissionGate>
    </>
  );
}
