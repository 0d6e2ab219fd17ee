import { NOTEBOOK } from "@/shared/api/kinds.gen";
import type { EnvironmentInput, WorkloadDetail } from "@/shared/api/types";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Lockable } from "@/shared/submission/components/fields";
import { SlicePreview } from "@/shared/submission/components/start-preview";
import { SubmissionForm } from "@/shared/submission/components/submission-form";
import { type SubmissionChoices, valuesLike } from "@/shared/submission/model/submission";
import { useCreateNotebook } from "../api/notebooks";
import {
  type NotebookFormValues,
  notebookDraft,
  notebookInput,
  scheduleDigest,
  USUAL,
} from "../model/notebook";
import { ScheduleChoice } from "./schedule-fields";

interface NotebookFormProps extends SubmissionChoices {
  onCreated: (notebook: WorkloadDetail) => void;
  /** What it begins with besides the defaults: a template, a notebook, or the files of a job. */
  again?: Partial<NotebookFormValues> | undefined;
}

export function NotebookForm({ onCreated, again, ...choices }: NotebookFormProps) {
  const { t } = useTranslation("notebooks");
  const language = useLanguage();
  const create = useCreateNotebook();
  return (
    <SubmissionForm<NotebookFormValues, EnvironmentInput>
      {...choices}
      onSubmitted={onCreated}
      kind={{
        work: NOTEBOOK.kind,
        stem: "notebook",
        initial: { cpu: 2, memory_gib: 8, schedule: USUAL },
        ...(again && { again }),
        toInput: notebookInput,
        ofBody: valuesLike,
        toDraft: notebookDraft,
        submission: create,
        action: t("create"),
        portsAbout: t("portsAbout"),
        advanced: (
          <Lockable settings={["schedule"]}>
            <ScheduleChoice />
          </Lockable>
        ),
        advancedDigest: ({ is_scheduled, schedule }) =>
          is_scheduled && schedule ? scheduleDigest(schedule, language) : "",
        preview: (pool, { slices }) =>
          slices ? <SlicePreview poolId={pool.id} slices={slices} /> : null,
      }}
    />
  );
}
