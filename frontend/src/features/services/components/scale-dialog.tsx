import { Form, InputNumber } from "antd";
import type { Service, ServiceScale } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useScaleService } from "../api/services";

/** Replicas of one service. */
const REPLICAS_MAX = 1000;

interface ScaleDialogProps {
  service: Service;
  onClose: () => void;
}

/** Between what the number of replicas may be, and what it is now. */
export function ScaleDialog({ service: { id, name, replicas }, onClose }: ScaleDialogProps) {
  const { t } = useTranslation("services");
  return (
    <EntityDialog<ServiceScale, ServiceScale>
      title={t("scale.title", { name })}
      action={t("scale.action")}
      initial={{
        replicas_min: replicas.min,
        replicas_max: replicas.max,
        replicas: replicas.wanted,
      }}
      save={useScaleService(id)}
      bodyOf={(filled) => filled}
      onClose={onClose}
    >
      <ReplicaBounds />
      <Form.Item
        name="replicas"
        label={t("scale.now")}
        extra={t("scale.nowAbout")}
        rules={[{ required: true, message: t("scale.missing") }]}
      >
        <InputNumber min={0} max={REPLICAS_MAX} precision={0} style={{ width: "100%" }} />
      </Form.Item>
    </EntityDialog>
  );
}

/** The least and the most replicas; the most is at least one, and not fewer than the least. */
export function ReplicaBounds() {
  const { t } = useTranslation("services");
  const required = { required: true, message: t("scale.missing") };
  return (
    <div style={{ display: "grid", gridTemplateColumns: "repeat(2, minmax(0, 1fr))", gap: 16 }}>
      <Form.Item
        name="replicas_min"
        label={t("scale.min")}
        extra={t("scale.minAbout")}
        rules={[required]}
      >
        <InputNumber min={0} max={REPLICAS_MAX} precision={0} style={{ width: "100%" }} />
      </Form.Item>
      <Form.Item
        name="replicas_max"
        label={t("scale.max")}
        dependencies={["replicas_min"]}
        rules={[
          required,
          ({ getFieldValue }) => ({
            validator: (_rule, most: number) =>
              most < getFieldValue("replicas_min")
                ? Promise.reject(new Error(t("scale.reversed")))
                : Promise.resolve(),
          }),
        ]}
      >
        <InputNumber min={1} max={REPLICAS_MAX} precision={0} style={{ width: "100%" }} />
      </Form.Item>
    </div>
  );
}
