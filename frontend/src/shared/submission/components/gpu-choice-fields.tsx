import { Form, Select } from "antd";
import type { Pool } from "@/shared/api/types";
import { choiceWords, featuresIn, modelFacts } from "@/shared/cluster/model/gpu-models";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { choiceOf, type DeviceForm, gibOf, MEMORY_GIB_MIN } from "../model/devices";
import { CountField } from "./fields";
import styles from "./submission.module.css";

/** Which GPUs of the pool will do: by model, memory, features, bandwidth. For those who need it. */
export function GpuChoiceFields({ pool }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  const isCpuOnly: boolean = Form.useWatch("is_cpu_only") ?? false;
  const { models } = pool;
  if (isCpuOnly || models.length === 0) return null;
  const largest = Math.max(...models.map(({ memory_mib }) => memory_mib));
  const fastest = Math.max(...models.map(({ known }) => known?.bandwidth_gbps ?? 0));
  return (
    <div key={pool.id}>
      <p className={styles.choiceAbout}>{t("choice.about")}</p>
      <div className={styles.row}>
        <ModelField pool={pool} />
        <CountField
          name="gpu_memory_min_gib"
          label={t("choice.memory")}
          min={MEMORY_GIB_MIN}
          max={gibOf(largest)}
          isOptional
          hint={t("choice.any")}
        />
        <FeatureField pool={pool} />
        {fastest > 0 && (
          <CountField
            name="gpu_bandwidth_min_gbps"
            label={t("choice.bandwidth")}
            max={fastest}
            isOptional
            hint={t("choice.any")}
          />
        )}
      </div>
    </div>
  );
}

/** What is chosen, also while the fields are folded away. */
export function useChosenWords(): string {
  const language = useLanguage();
  const form = Form.useFormInstance<DeviceForm>();
  Form.useWatch((values: DeviceForm) => JSON.stringify(choiceOf(values)), form);
  const { gpu_models, gpu_memory_min_mib, gpu_features, gpu_bandwidth_min_gbps } = choiceOf(
    form.getFieldsValue(true),
  );
  return choiceWords(
    {
      gpu_models: gpu_models ?? [],
      gpu_memory_min_mib: gpu_memory_min_mib ?? 0,
      gpu_features: gpu_features ?? [],
      gpu_bandwidth_min_gbps: gpu_bandwidth_min_gbps ?? 0,
    },
    language,
  );
}

function ModelField({ pool: { models } }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  return (
    <Form.Item name="gpu_models" label={t("choice.models")} preserve={false}>
      <Select
        mode="multiple"
        allowClear
        placeholder={t("choice.any")}
        options={models.map(({ name, gpus_free, gpus_total, known }) => ({
          value: name,
          label: name,
          title: known ? modelFacts(known, language) : "",
          free: t("choice.free", { free: gpus_free, total: gpus_total }),
        }))}
        optionRender={({ data }) => (
          <>
            {data.label} <span className={styles.optionAbout}>{data.free}</span>
            <span className={styles.optionAbout}>{data.title}</span>
          </>
        )}
      />
    </Form.Item>
  );
}

function FeatureField({ pool }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  const features = featuresIn(pool);
  if (features.length === 0) return null;
  return (
    <Form.Item name="gpu_features" label={t("choice.features")} preserve={false}>
      <Select
        mode="multiple"
        allowClear
        placeholder={t("choice.any")}
        options={features.map((value) => ({ value, label: value }))}
      />
    </Form.Item>
  );
}
