import { createFileRoute } from "@tanstack/react-router";
import { NotebookForm } from "@/features/notebooks/components/notebook-form";
import {
  type NotebookOrigin,
  notebookFormLike,
  readNotebookOrigin,
} from "@/features/notebooks/model/notebook";
import { JOB, NOTEBOOK } from "@/shared/api/kinds.gen";
import { useClusterUpdates } from "@/shared/cluster/api/nodes";
import { useTranslation } from "@/shared/i18n/language";
import { SubmissionStart } from "@/shared/submission/components/start-from";
import { SubmissionGate } from "@/shared/submission/components/submission-form";
import type { SubmissionBody } from "@/shared/submission/model/submission";

export const Route = createFileRoute("/_shell/notebooks/new")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as NotebookOrigin,
  component: NewNotebookPage,
});

function NewNotebookPage() {
  const { t } = useTranslation("notebooks");
  const origin = readNotebookOrigin({ ...Route.useSearch() });
  const navigate = Route.useNavigate();
  useClusterUpdates();
  return (
    <SubmissionStart
      title={t("newTitle")}
      kind={NOTEBOOK.kind}
      origin={origin}
      work={workOf(origin)}
      onChoose={(search) => void navigate({ search })}
    >
      {(body) => <NotebookChoices key={JSON.stringify(origin)} body={body} />}
    </SubmissionStart>
  );
}

function workOf({ job, from }: NotebookOrigin) {
  if (job) return { kind: JOB.kind, id: job } as const;
  return from ? ({ kind: NOTEBOOK.kind, id: from } as const) : undefined;
}

function NotebookChoices({ body }: { body: SubmissionBody | undefined }) {
  const navigate = Route.useNavigate();
  const origin = readNotebookOrigin({ ...Route.useSearch() });
  return (
    <SubmissionGate kind={NOTEBOOK.kind}>
      {(choices) => (
        <NotebookForm
          {...choices}
          again={body && notebookFormLike(body, origin, choices)}
          onCreated={({ id }) => void navigate({ to: "/notebooks/$id", params: { id } })}
        />
      )}
    </SubmissionGate>
  );
}
