import { Form, InputNumber } from "antd";
import { useTranslation } from "react-i18next";

interface CountFieldProps {
  name: string;
  label: string;
  max: number;
  min?: number;
  /** Whole numbers unless a step below one is given. */
  step?: number;
  help?: string;
}

/** An amount with its bounds, checked in place. */
export function CountField({ name, label, max, min = 1, step = 1, help }: CountFieldProps) {
  const { t } = useTranslation("submission");
  const message = t("outOfRange", { min, max });
  const isWhole = step >= 1;
  return (
    <Form.Item
      name={name}
      label={label}
      extra={help}
      rules={[
        { required: true, message },
        { type: isWhole ? "integer" : "number", min, max, message },
      ]}
    >
      <InputNumber step={step} inputMode="decimal" style={{ width: "100%" }} />
    </Form.Item>
  );
}
