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
  /** What it begins with, each time that it appears anew. */
  initial?: number;
  /** May be left empty. */
  isOptional?: boolean;
  /** What an empty field means. */
  hint?: string;
  /** Another field whose value moves these bounds. */
  dependsOn?: string;
}

/** An amount with its bounds, checked in place. */
export function CountField(props: CountFieldProps) {
  const { name, label, max, min = 1, step = 1, help, initial, hint, dependsOn } = props;
  const { isOptional = false } = props;
  const { t } = useTranslation("submission");
  const message = t("outOfRange", { min, max });
  const isWhole = step >= 1;
  return (
    <Form.Item
      name={name}
      label={label}
      extra={help}
      {...(initial !== undefined && { initialValue: initial })}
      {...((initial !== undefined || isOptional) && { preserve: false })}
      {...(dependsOn && { dependencies: [dependsOn] })}
      rules={[
        { required: !isOptional, message },
        { type: isWhole ? "integer" : "number", min, max, message },
      ]}
    >
      <InputNumber step={step} inputMode="decimal" placeholder={hint} style={{ width: "100%" }} />
    </Form.Item>
  );
}
