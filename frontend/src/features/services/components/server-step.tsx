/** What a service runs: a server that is known, or one's own. */
import { Form, Input, InputNumber } from "antd";
import type { GroupRef, Image, ServicePreset } from "@/shared/api/types";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { ForGroupField, ImageField } from "@/shared/submission/components/fields";
import { FormStep } from "@/shared/submission/components/steps";
import styles from "@/shared/submission/components/submission.module.css";
import { commandLine } from "@/shared/submission/model/program";
import { SERVICE_NAME, type ServiceFormValues } from "../model/service-form";
import { ProgramTexts } from "./program-texts";

interface PresetProps {
  preset: ServicePreset | undefined;
}

interface ServerStepProps extends PresetProps {
  presets: readonly ServicePreset[];
  images: readonly Image[];
  groups: readonly GroupRef[];
}

/** The server, its image and model, for whom, under which name. */
export function ServerStep({ presets, preset, images, groups }: ServerStepProps) {
  const { t } = useTranslation("services");
  return (
    <FormStep number={1} title={t("form.program")} extra={<ServiceNameField />}>
      <Form.Item<ServiceFormValues> name="preset" noStyle>
        <PresetCards presets={presets} />
      </Form.Item>
      <div className={styles.row}>
        <ImageField images={images} />
        <ForGroupField groups={groups} />
      </div>
      <ProgramTexts preset={preset} />
      {preset && preset.command.length > 0 && (
        <p className="quiet">
          {t("form.runs")} <code className="mono">{commandLine(preset.command)}</code>
        </p>
      )}
    </FormStep>
  );
}

/** A part of the address, so that it has letters, digits and hyphens only. */
function ServiceNameField() {
  const { t } = useTranslation("services");
  return (
    <Form.Item
      name="name"
      label={t("column.name")}
      layout="horizontal"
      colon={false}
      className={styles.title ?? ""}
      rules={[{ required: true, pattern: SERVICE_NAME, message: t("form.nameWrong") }]}
    >
      <Input autoComplete="off" spellCheck={false} variant="underlined" placeholder="chat" />
    </Form.Item>
  );
}

interface PresetCardsProps {
  presets: readonly ServicePreset[];
  value?: string;
  onChange?: (preset: string) => void;
}

/** The servers that can be run as they are, each with what it is for. */
function PresetCards({ presets, value, onChange }: PresetCardsProps) {
  const { t } = useTranslation("services");
  const isChinese = useLanguage() === "zh-CN";
  return (
    <div role="radiogroup" aria-label={t("form.program")} className={styles.sizes}>
      {presets.map(({ name, title, about_en, about_zh }) => (
        <label key={name} className={styles.size}>
          <input
            type="radio"
            name="preset-card"
            checked={name === value}
            onChange={() => onChange?.(name)}
          />
          <strong>{title}</strong>
          <span>{isChinese ? about_zh : about_en}</span>
        </label>
      ))}
    </div>
  );
}

const PORT_MAX = 65_535;
const START_S = { min: 10, max: 21_600 };
const WIDE = { width: "100%" } as const;

/** Where it listens and when it counts as ready; empty has what is known of the server. */
export function StartFields({ preset }: PresetProps) {
  const { t } = useTranslation("services");
  return (
    <div className={styles.row}>
      <Form.Item name="readiness_path" label={t("form.readiness")} extra={t("form.readinessAbout")}>
        <Input
          autoComplete="off"
          spellCheck={false}
          placeholder={preset?.readiness_path}
          className="mono"
        />
      </Form.Item>
      <Form.Item name="start_deadline_s" label={t("form.deadline")} extra={t("form.deadlineAbout")}>
        <InputNumber
          {...START_S}
          precision={0}
          suffix="s"
          placeholder={String(preset?.start_deadline_s ?? "")}
          style={WIDE}
        />
      </Form.Item>
      <Form.Item name="port" label={t("form.port")} extra={t("form.portAbout")}>
        <InputNumber min={1} max={PORT_MAX} precision={0} style={WIDE} />
      </Form.Item>
    </div>
  );
}
