import { Button, Form } from "antd";
import { useTranslation } from "react-i18next";
import type { GroupRef, Image, Pool, WorkloadDetail } from "@/shared/api/types";
import { SlicePreview } from "@/shared/cluster/components/slice-preview";
import { CountField } from "@/shared/submission/components/count-field";
import fields from "@/shared/submission/components/fields.module.css";
import { ImageField } from "@/shared/submission/components/image-field";
import { NameField } from "@/shared/submission/components/name-field";
import { PlaceFields } from "@/shared/submission/components/place-fields";
import { TimeLimitField } from "@/shared/submission/components/time-limit-field";
import { defaultName } from "@/shared/submission/model/default-name";
import { Panel } from "@/shared/ui/panel";
import { ProblemAlert } from "@/shared/ui/problem-alert";
import { StartPreview } from "@/shared/workload/components/start-preview";
import { useCreateEnvironment } from "../api/use-create-environment";
import { environmentDraft, environmentInput, type EnvironmentForm as Values } from "../model/draft";

interface EnvironmentFormProps {
  groups: readonly [GroupRef, ...GroupRef[]];
  pools: readonly [Pool, ...Pool[]];
  images: readonly Image[];
  /** Name of the group to start with. */
  group: string;
  onCreated: (environment: WorkloadDetail) => void;
}

const MIB_PER_GIB = 1024;

export function EnvironmentForm({ groups, pools, images, group, onCreated }: EnvironmentFormProps) {
  const { t } = useTranslation(["environments", "submission"]);
  const [form] = Form.useForm<Values>();
  const values: Partial<Values> = Form.useWatch([], form) ?? {};
  const create = useCreateEnvironment();
  const pool = pools.find(({ name }) => name === values.pool) ?? pools[0];
  const { limits } = pool;
  return (
    <Form<Values>
      form={form}
      layout="vertical"
      requiredMark={false}
      scrollToFirstError
      className="with-aside"
      initialValues={{
        name: defaultName("notebook", new Date()),
        group,
        pool: pool.name,
        image: images[0]?.name,
        slices: 1,
        cpu: 2,
        memory_gib: 8,
        time_limit_s: pool.default_time_limit_s,
      }}
      onFinish={(filled) => create.mutate(environmentInput(filled), { onSuccess: onCreated })}
    >
      <div className="stack">
        <Panel title={t("form.what")}>
          <NameField />
          <ImageField images={images} />
          <PlaceFields groups={groups} pools={pools} />
        </Panel>
        <Panel title={t("form.size")}>
          <div className={fields.row}>
            <CountField
              name="slices"
              label={t("form.slices")}
              max={limits.slices_max}
              help={t("form.slicesAbout", { gib: pool.slice_mib / MIB_PER_GIB })}
            />
            <CountField
              name="cpu"
              label={t("submission:cpu")}
              min={0.5}
              step={0.5}
              max={limits.cpu_milli_max / 1000}
            />
            <CountField
              name="memory_gib"
              label={t("submission:memory")}
              max={Math.floor(limits.memory_mib_max / MIB_PER_GIB)}
            />
            <TimeLimitField pool={pool} />
          </div>
        </Panel>
      </div>
      <Panel title={t("submission:summary")}>
        <div className="stack">
          <StartPreview draft={environmentDraft(values)} />
          {values.slices ? <SlicePreview poolId={pool.id} slices={values.slices} /> : null}
          {create.isError && <ProblemAlert error={create.error} />}
          <Button type="primary" htmlType="submit" block loading={create.isPending}>
            {t("create")}
          </Button>
        </div>
      </Panel>
    </Form>
  );
}
