import { Button, Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { GroupRef, Image, Pool, WorkloadDetail } from "@/shared/api/types";
import { useConfig } from "@/shared/session/me";
import { CountField } from "@/shared/submission/components/count-field";
import fields from "@/shared/submission/components/fields.module.css";
import { ImageField } from "@/shared/submission/components/image-field";
import { NameField } from "@/shared/submission/components/name-field";
import { PlaceFields } from "@/shared/submission/components/place-fields";
import { TimeLimitField } from "@/shared/submission/components/time-limit-field";
import { curlOf } from "@/shared/submission/model/curl";
import { defaultName } from "@/shared/submission/model/default-name";
import { CodeBlock } from "@/shared/ui/code-block";
import { Panel } from "@/shared/ui/panel";
import { ProblemAlert } from "@/shared/ui/problem-alert";
import { StartPreview } from "@/shared/workload/components/start-preview";
import { useSubmitJob } from "../api/use-submit-job";
import { jobDraft, jobInput, PRIORITIES, type JobForm as Values } from "../model/draft";
import { ProgramFields } from "./program-fields";

interface JobFormProps {
  groups: readonly [GroupRef, ...GroupRef[]];
  pools: readonly [Pool, ...Pool[]];
  images: readonly Image[];
  /** Name of the group to start with. */
  group: string;
  onSubmitted: (job: WorkloadDetail) => void;
}

const MIB_PER_GIB = 1024;
const RETRIES_MAX = 10;
const EXAMPLE = 'echo "hello from $(hostname)"\necho "result" > "$BERTH_OUTPUT_DIR/result.txt"\n';

export function JobForm({ groups, pools, images, group, onSubmitted }: JobFormProps) {
  const { t } = useTranslation(["jobs", "submission"]);
  const [form] = Form.useForm<Values>();
  const values: Partial<Values> = Form.useWatch([], form) ?? {};
  const submit = useSubmitJob();
  const portalUrl = useConfig()?.portal_url ?? window.location.origin;
  const pool = pools.find(({ name }) => name === values.pool) ?? pools[0];
  const { limits } = pool;
  const draft = jobDraft(values);
  return (
    <Form<Values>
      form={form}
      layout="vertical"
      requiredMark={false}
      scrollToFirstError
      className="with-aside"
      initialValues={{
        name: defaultName("job", new Date()),
        group,
        pool: pool.name,
        image: images[0]?.name,
        way: "script",
        script: EXAMPLE,
        cards: 1,
        replicas: 1,
        cpu: 4,
        memory_gib: 16,
        time_limit_s: pool.default_time_limit_s,
        priority: "normal",
        retries_max: 0,
      }}
      onFinish={(filled) => submit.mutate(jobInput(filled), { onSuccess: onSubmitted })}
    >
      <div className="stack">
        <Panel title={t("form.what")}>
          <NameField />
          <ProgramFields />
          <ImageField images={images} />
          <PlaceFields groups={groups} pools={pools} />
        </Panel>
        <Panel title={t("form.size")}>
          <div className={fields.row}>
            <CountField name="cards" label={t("form.cards")} max={limits.cards_max} />
            <CountField
              name="replicas"
              label={t("form.ranks")}
              max={limits.replicas_max}
              help={t("form.ranksAbout")}
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
            <Form.Item name="priority" label={t("form.priority")} extra={t("form.priorityAbout")}>
              <Select
                options={PRIORITIES.map((value) => ({ value, label: t(`priority.${value}`) }))}
              />
            </Form.Item>
            <CountField
              name="retries_max"
              label={t("form.retries")}
              min={0}
              max={RETRIES_MAX}
              help={t("form.retriesAbout")}
            />
          </div>
        </Panel>
      </div>
      <Panel title={t("submission:summary")}>
        <div className="stack">
          <StartPreview draft={draft} />
          {submit.isError && <ProblemAlert error={submit.error} />}
          <Button type="primary" htmlType="submit" block loading={submit.isPending}>
            {t("submit")}
          </Button>
          {draft && (
            <details>
              <summary>{t("submission:curl")}</summary>
              <CodeBlock
                label={t("submission:curl")}
                text={curlOf(portalUrl, "/api/v1/jobs", jobInput(values as Values))}
              />
            </details>
          )}
        </div>
      </Panel>
    </Form>
  );
}
