import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import { isRepeated, VARIABLE_NAME, type Variable } from "../model/env";
import styles from "./env-fields.module.css";

/** Environment variables, one row each. */
export function EnvFields() {
  const { t } = useTranslation("jobs");
  return (
    <Form.List name="env">
      {(rows, { add, remove }) => (
        <Form.Item label={t("form.env")} extra={t("form.envAbout")}>
          {rows.map(({ key, name: index }) => (
            <div key={key} className={styles.row}>
              <NameCell index={index} />
              <Form.Item name={[index, "value"]}>
                <Input
                  className="mono"
                  aria-label={t("form.envValue", { number: index + 1 })}
                  placeholder={t("form.envValueHint")}
                  autoComplete="off"
                />
              </Form.Item>
              <Button
                type="text"
                icon={<DeleteOutlined />}
                aria-label={t("form.envRemove", { number: index + 1 })}
                onClick={() => remove(index)}
              />
            </div>
          ))}
          <Button icon={<PlusOutlined aria-hidden />} onClick={() => add({})}>
            {t("form.envAdd")}
          </Button>
        </Form.Item>
      )}
    </Form.List>
  );
}

function NameCell({ index }: { index: number }) {
  const { t } = useTranslation("jobs");
  const form = Form.useFormInstance();
  const isTwice = () => isRepeated((form.getFieldValue("env") ?? []) as Variable[], index);
  return (
    <Form.Item
      name={[index, "name"]}
      rules={[
        { required: true, message: t("form.envNameMissing") },
        { pattern: VARIABLE_NAME, message: t("form.envNameWrong") },
        {
          validator: () =>
            isTwice() ? Promise.reject(new Error(t("form.envNameTwice"))) : Promise.resolve(),
        },
      ]}
    >
      <Input
        className="mono"
        aria-label={t("form.envName", { number: index + 1 })}
        placeholder={t("form.envNameHint")}
        autoComplete="off"
        spellCheck={false}
      />
    </Form.Item>
  );
}
