import { Form, Input } from "antd";
import { useTranslation } from "react-i18next";

const LENGTH_MAX = 63;

/** Starts with a letter or digit of any script; hides nothing and is no path. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{Mn}\p{Mc} ._\-()（）·]*$/u; // locale-check: characters of names

export function NameField() {
  const { t } = useTranslation("submission");
  return (
    <Form.Item
      name="name"
      label={t("name")}
      rules={[
        { required: true, message: t("nameMissing") },
        { max: LENGTH_MAX, message: t("nameTooLong", { max: LENGTH_MAX }) },
        { pattern: NAME, message: t("nameWrong") },
      ]}
    >
      <Input autoComplete="off" />
    </Form.Item>
  );
}
