import { Form } from "antd";
import { useState } from "react";
import type { Advised, ServiceDetail, ServicePreset } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { DatasetField } from "@/shared/submission/components/fields";
import { VolumesField } from "@/shared/submission/components/file-fields";
import { Folds, FormFold } from "@/shared/submission/components/form-fold";
import { GpuChoiceFields, useChosenWords } from "@/shared/submission/components/gpu-choice-fields";
import { EnvFields, SecretFields } from "@/shared/submission/components/secret-fields";
import { SizeChoice } from "@/shared/submission/components/size-cards";
import { FormStep } from "@/shared/submission/components/steps";
import styles from "@/shared/submission/components/submission.module.css";
import { goToFault, useTake } from "@/shared/submission/components/use-submission-form";
import {
  type FieldFaulty,
  faultyFields,
  goToField,
  VerdictPanel,
  VISIBLE,
} from "@/shared/submission/components/verdict-panel";
import { deviceForm } from "@/shared/submission/model/devices";
import { hostIn, type Size, sizesIn } from "@/shared/submission/model/sizes";
import type { SubmissionChoices } from "@/shared/submission/model/submission";
import { useRefusal } from "@/shared/ui/refusal";
import { useCreateService } from "../api/services";
import {
  SERVICE_START,
  type ServiceFormValues,
  serviceDraft,
  serviceInput,
} from "../model/service-form";
import { ReplicaBounds } from "./scale-dialog";
import { ServerStep, StartFields } from "./server-step";
import { BoundFields, PromiseFields } from "./settings-dialog";

interface ServiceFormProps extends SubmissionChoices {
  presets: readonly ServicePreset[];
  onCreated: (service: ServiceDetail) => void;
}

/** What it runs, how large and how many, what it promises; beside it whether a replica would start. */
export function ServiceForm({ presets, onCreated, ...choices }: ServiceFormProps) {
  const { t } = useTranslation("services");
  const { pools, images, groups, group } = choices;
  const [form] = Form.useForm<ServiceFormValues>();
  const values = (Form.useWatch([], form) ?? {}) as Partial<ServiceFormValues>;
  const pool = pools.find(({ name }) => name === values.pool) ?? pools[0];
  const preset = presets.find(({ name }) => name === (values.preset ?? SERVICE_START.preset));
  const [faults, setFaults] = useState<readonly FieldFaulty[]>([]);
  const create = useCreateService();
  const refusal = useRefusal(form, create);
  const take = useTake(form, pool, [], () => {});
  const takeSize = ({ pool: { name }, values: { replicas: _, ...amounts } }: Size) =>
    take(name, amounts);
  const change = (changed: Partial<ServiceFormValues>) => {
    refusal.forget(changed);
    const other = "pool" in changed && pools.find(({ name }) => name === changed.pool);
    const [size] = other ? sizesIn(other, false) : [];
    if (size) takeSize(size);
  };
  const send = (filled: ServiceFormValues) => {
    refusal.forget();
    create.mutate(serviceInput(filled), {
      onSuccess: onCreated,
      onError: (error) => setFaults(goToFault(form, error)),
    });
  };
  const owner = groups.find(({ name }) => name === values.group) ?? groups[0];
  return (
    <Form<ServiceFormValues>
      form={form}
      layout="vertical"
      requiredMark={false}
      scrollToFirstError={VISIBLE}
      className={`with-aside ${styles.form}`}
      initialValues={{
        ...SERVICE_START,
        ...hostIn(pool),
        ...{ group, pool: pool.name, image: images[0]?.name },
      }}
      onValuesChange={change}
      onFieldsChange={() => setFaults(faultyFields(form))}
      onFinishFailed={({ errorFields: [first] }) => first && goToField(form, first.name)}
      onFinish={send}
    >
      <div className="stack">
        <ServerStep presets={presets} preset={preset} images={images} groups={groups} />
        <FormStep number={2} title={t("form.size")}>
          <SizeChoice pools={pools} pool={pool} hasRanks={false} onTake={takeSize}>
            <FormFold title={t("form.files")} digest={(values.volumes ?? []).join(" · ")}>
              <VolumesField />
            </FormFold>
          </SizeChoice>
          <ReplicaBounds />
          <PromiseFields />
          <DatasetField group={owner} />
        </FormStep>
        <FormStep number={3} title={t("form.more")}>
          <MoreFolds preset={preset} pool={pool} group={owner} />
        </FormStep>
      </div>
      <VerdictPanel
        draft={serviceDraft(values, preset)}
        pool={pool}
        submission={create}
        action={t("form.create")}
        faults={faults}
        onFault={({ name }) => goToField(form, name)}
        onTake={(advised: Advised) => take(advised.pool.name, deviceForm(advised))}
      >
        <p className="quiet">{t("form.oneReplica")}</p>
      </VerdictPanel>
    </Form>
  );
}

interface MoreFoldsProps {
  preset: ServicePreset | undefined;
  pool: ServiceFormProps["pools"][0];
  group: ServiceFormProps["groups"][0];
}

/** What few need to change. */
function MoreFolds({ preset, pool, group }: MoreFoldsProps) {
  const { t } = useTranslation(["services", "submission"]);
  const chosen = useChosenWords();
  const count = (list: readonly unknown[] | undefined) => String(list?.length ?? 0);
  const env = Form.useWatch<readonly unknown[] | undefined>("env");
  const secrets = Form.useWatch<readonly unknown[] | undefined>("secrets");
  return (
    <Folds>
      <FormFold title={t("form.start")} digest={preset?.readiness_path ?? ""}>
        <StartFields preset={preset} />
      </FormFold>
      <FormFold title={t("form.bounds")} digest="">
        <BoundFields />
      </FormFold>
      <FormFold title={t("submission:env.label")} digest={count(env)}>
        <EnvFields />
      </FormFold>
      <FormFold title={t("submission:secrets.label")} digest={count(secrets)}>
        <SecretFields group={group} />
      </FormFold>
      {pool.models.length > 0 && (
        <FormFold
          title={t("submission:choice.title")}
          digest={chosen || t("submission:choice.any")}
        >
          <GpuChoiceFields pool={pool} />
        </FormFold>
      )}
    </Folds>
  );
}
