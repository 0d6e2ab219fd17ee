import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { SlicePreview } from "@/shared/cluster/components/slice-preview";
import { CountField } from "@/shared/submission/components/count-field";
import { PortsField } from "@/shared/submission/components/ports-field";
import { SubmissionForm } from "@/shared/submission/components/submission-form";
import type { Choices } from "@/shared/submission/model/choices";
import { useCreateEnvironment } from "../api/use-create-environment";
import { environmentDraft, environmentInput, type EnvironmentForm as Values } from "../model/draft";

interface EnvironmentFormProps extends Choices {
  onCreated: (environment: WorkloadDetail) => void;
}

const MIB_PER_GIB = 1024;

export function EnvironmentForm({ onCreated, ...choices }: EnvironmentFormProps) {
  const { t } = useTranslation("environments");
  const create = useCreateEnvironment();
  return (
    <SubmissionForm
      {...choices}
      onSubmitted={onCreated}
      kind={{
        stem: "notebook",
        initial: { slices: 1, cpu: 2, memory_gib: 8 },
        toInput: environmentInput,
        toDraft: environmentDraft,
        submission: create,
        action: t("create"),
        devices: (pool) => (
          <>
            <CountField
              name="slices"
              label={t("form.slices")}
              max={pool.limits.slices_max}
              help={t("form.slicesAbout", { gib: pool.slice_mib / MIB_PER_GIB })}
            />
            <PortsField about={t("portsAbout")} />
          </>
        ),
        preview: (pool, { slices }: Partial<Values>) =>
          slices ? <SlicePreview poolId={pool.id} slices={slices} /> : null,
      }}
    />
  );
}
