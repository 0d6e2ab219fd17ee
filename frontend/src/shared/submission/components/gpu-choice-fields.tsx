import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { featuresIn, modelFacts } from "@/shared/cluster/model/gpu-models";
import { useLanguage } from "@/shared/i18n/language";
import { type GpuChoiceForm, gibOf, isChoosing } from "../model/devices";
import { CountField } from "./fields";
import styles from "./submission.module.css";

/** Which GPUs of the pool will do: by model, memory, features, bandwidth. For those who need it. */
export function GpuChoiceFields({ pool }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  const form = Form.useFormInstance<GpuChoiceForm>();
  const { models } = pool;
  if (models.length === 0) return null;
  const largest = Math.max(...models.map(({ memory_mib }) => memory_mib));
  const fastest = Math.max(...models.map(({ known }) => known?.bandwidth_gbps ?? 0));
  return (
    <details
      key={pool.id}
      className={styles.choice}
      open={isChoosing(form.getFieldsValue()) || undefined}
    >
      <summary>{t("choice.title")}</summary>
      <p className={styles.choiceAbout}>{t("choice.about")}</p>
      <div className={styles.row}>
        <ModelField pool={pool} />
        <CountField
          name="gpu_memory_min_gib"
          label={t("choice.memory")}
          max={Math.floor(gibOf(largest))}
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
    </details>
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
            {data.label} <span className={styles.imageAbout}>{data.free}</span>
            <span className={styles.imageAbout}>{data.title}</span>
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
