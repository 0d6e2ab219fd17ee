import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { SlicePreview } from "@/shared/cluster/components/berth-strip";
import { SubmissionForm } from "@/shared/submission/components/submission-form";
import type { SubmissionChoices, SubmissionValues } from "@/shared/submission/model/submission";
import { useCreateEnvironment } from "../api/environments";
import { environmentDraft, environmentInput } from "../model/environment";

interface EnvironmentFormProps extends SubmissionChoices {
  onCreated: (environment: WorkloadDetail) => void;
  /** What it begins with besides the defaults: the files, image and size of a job. */
  again?: Partial<SubmissionValues> | undefined;
}

export function EnvironmentForm({ onCreated, again, ...choices }: EnvironmentFormProps) {
  const { t } = useTranslation("environments");
  const create = useCreateEnvironment();
  return (
    <SubmissionForm
      {...choices}
      onSubmitted={onCreated}
      kind={{
        stem: "notebook",
        initial: { cpu: 2, memory_gib: 8 },
        ...(again && { again }),
        toInput: environmentInput,
        toDraft: environmentDraft,
        submission: create,
        action: t("create"),
        portsAbout: t("portsAbout"),
        preview: (pool, { slices }) =>
          slices ? <SlicePreview poolId={pool.id} slices={slices} /> : null,
      }}
    />
  );
}
