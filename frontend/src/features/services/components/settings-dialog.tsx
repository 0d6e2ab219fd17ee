/** What a service promises, and its bounds: as a dialog, and as fields of the form of a new one. */
import { Checkbox, Form, InputNumber, Radio } from "antd";
import type { ServiceChange, ServiceDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useChangeService } from "../api/services";
import { type TermsForm, termsChange, termsForm } from "../model/revision";
import { ReplicaBounds } from "./scale-dialog";

const WIDE = { width: "100%" } as const;
/** The server's bounds. */
const TARGET_MS = { min: 10, max: 600_000 };
const RATE_MAX = 1_000_000;
const ZERO_AFTER_S = { min: 60, max: 604_800 };
const HOLD_MAX = 10_000;
const HOLD_DEADLINE_S = { min: 1, max: 3600 };
const DRAIN_S = { min: 0, max: 7200 };

interface SettingsDialogProps {
  service: ServiceDetail;
  onClose: () => void;
}

export function SettingsDialog({ service, onClose }: SettingsDialogProps) {
  const { t } = useTranslation("services");
  return (
    <EntityDialog<TermsForm, ServiceChange>
      title={t("settings.title", { name: service.name })}
      action={t("settings.action")}
      initial={termsForm(service)}
      save={useChangeService(service.id)}
      bodyOf={termsChange}
      version={service.version}
      onClose={onClose}
    >
      <PromiseFields />
      <ReplicaBounds />
      <BoundFields />
    </EntityDialog>
  );
}

const QUALITIES = ["latency", "throughput"] as const;

/** The class of quality with its target. */
export function PromiseFields() {
  const { t } = useTranslation("services");
  const quality = Form.useWatch<TermsForm["quality"] | undefined>("quality");
  return (
    <>
      <Form.Item
        name="quality"
        label={t("column.quality")}
        extra={quality && t(`qualityAbout.${quality}`)}
      >
        <Radio.Group
          optionType="button"
          options={QUALITIES.map((value) => ({ value, label: t(`quality.${value}`) }))}
        />
      </Form.Item>
      {quality === "throughput" ? (
        <Form.Item name="rate" label={t("terms.rate")} extra={t("terms.rateAbout")}>
          <InputNumber min={0.001} max={RATE_MAX} style={WIDE} />
        </Form.Item>
      ) : (
        <>
          <Form.Item
            name="target_ms"
            label={t("terms.target")}
            extra={t("terms.targetAbout")}
            rules={[{ required: true, message: t("terms.targetMissing") }]}
          >
            <InputNumber {...TARGET_MS} precision={0} suffix="ms" style={WIDE} />
          </Form.Item>
          <Form.Item name="is_first_token" valuePropName="checked">
            <Checkbox>{t("terms.firstToken")}</Checkbox>
          </Form.Item>
        </>
      )}
    </>
  );
}

/** Down to zero, requests that wait, and answers that are finished. */
export function BoundFields() {
  const { t } = useTranslation("services");
  const least = Form.useWatch<number | undefined>("replicas_min");
  const required = [{ required: true, message: t("scale.missing") }];
  return (
    <>
      {least === 0 && (
        <Form.Item
          name="zero_after_s"
          label={t("terms.zero")}
          extra={t("terms.zeroAbout")}
          rules={required}
        >
          <InputNumber {...ZERO_AFTER_S} precision={0} suffix="s" style={WIDE} />
        </Form.Item>
      )}
      <Form.Item
        name="hold_max"
        label={t("terms.holdMax")}
        extra={t("terms.holdMaxAbout")}
        rules={required}
      >
        <InputNumber min={0} max={HOLD_MAX} precision={0} style={WIDE} />
      </Form.Item>
      <Form.Item
        name="hold_deadline_s"
        label={t("terms.holdDeadline")}
        extra={t("terms.holdDeadlineAbout")}
        rules={required}
      >
        <InputNumber {...HOLD_DEADLINE_S} precision={0} suffix="s" style={WIDE} />
      </Form.Item>
      <Form.Item name="drain_s" label={t("terms.drain")} extra={t("terms.drainAbout")}>
        <InputNumber {...DRAIN_S} precision={0} suffix="s" style={WIDE} />
      </Form.Item>
    </>
  );
}
