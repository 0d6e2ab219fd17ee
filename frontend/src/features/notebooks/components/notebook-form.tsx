import { NOTEBOOK } from "@/shared/api/kinds.gen";
import type { EnvironmentInput, WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { SubmissionForm } from "@/shared/submission/components/submission-form";
import { type SubmissionChoices, valuesLike } from "@/shared/submission/model/submission";
import { useCreateNotebook } from "../api/notebooks";
import { type NotebookFormValues, notebookDraft, notebookInput, USUAL } from "../model/notebook";
import { ScheduleFold } from "./schedule-fields";

interface NotebookFormProps extends SubmissionChoices {
  onCreated: (notebook: WorkloadDetail) => void;
  /** What it begins with besides the defaults: a template, a notebook, or the files of a job. */
  again?: Partial<NotebookFormValues> | undefined;
}

export function NotebookForm({ onCreated, again, ...choices }: NotebookFormProps) {
  const { t } = useTranslation("notebooks");
  const create = useCreateNotebook();
  return (
    <SubmissionForm<NotebookFormValues, EnvironmentInput>
      {...choices}
      onSubmitted={onCreated}
      kind={{
        work: NOTEBOOK.kind,
        stemOf: () => "notebook",
        initial: { schedule: USUAL },
        ...(again && { again }),
        toInput: notebookInput,
        ofBody: valuesLike,
        toDraft: notebookDraft,
        submission: create,
        action: t("create"),
        portsAbout: t("portsAbout"),
        more: () => <ScheduleFold />,
      }}
    />
  );
}
