import { createFileRoute } from "@tanstack/react-router";
import { EnvironmentForm } from "@/features/environments/components/environment-form";
import { notebookFormLike } from "@/features/environments/model/environment";
import { type NotebookOrigin, readNotebookOrigin } from "@/features/environments/model/origin";
import { useClusterUpdates } from "@/shared/cluster/api/nodes";
import { useTranslation } from "@/shared/i18n/language";
import { SubmissionStart } from "@/shared/submission/components/start-from";
import { SubmissionGate } from "@/shared/submission/components/submission-form";
import type { SubmissionBody } from "@/shared/submission/model/submission";
import { PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/notebooks/new")({
  validateSearch: readNotebookOrigin,
  component: NewNotebookPage,
});

function NewNotebookPage() {
  const { t } = useTranslation("environments");
  const origin = Route.useSearch();
  const navigate = Route.useNavigate();
  useClusterUpdates();
  return (
    <>
      <PageHeader title={t("newTitle")} about={t("about")} />
      <SubmissionStart
        kind="environment"
        origin={origin}
        work={workOf(origin)}
        onChoose={(search) => void navigate({ search })}
      >
        {(body) => <NotebookForm key={JSON.stringify(origin)} body={body} />}
      </SubmissionStart>
    </>
  );
}

function workOf({ job, from }: NotebookOrigin) {
  if (job) return { kind: "training", id: job } as const;
  return from ? ({ kind: "environment", id: from } as const) : undefined;
}

function NotebookForm({ body }: { body: SubmissionBody | undefined }) {
  const navigate = Route.useNavigate();
  const origin = Route.useSearch();
  return (
    <SubmissionGate kind="environment">
      {(choices) => (
        <EnvironmentForm
          {...choices}
          again={body && notebookFormLike(body, origin, choices)}
          onCreated={({ id }) => void navigate({ to: "/notebooks/$id", params: { id } })}
        />
      )}
    </SubmissionGate>
  );
}
