import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input, Select } from "antd";
import { use } from "react";
import type { GroupRef } from "@/shared/api/types";
import { useSecrets } from "@/shared/cluster/api/credentials";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import {
  choicesOf,
  isRepeated,
  isTarget,
  SECRETS_MAX,
  type SecretRow,
  VARIABLE_NAME,
  type Variable,
} from "../model/secrets";
import { UnfoldedContext } from "./fields";
import styles from "./submission.module.css";

/** Which secrets the work gets, and as what. */
export function SecretFields({ group }: { group: GroupRef | undefined }) {
  const language = useLanguage();
  const { t } = useTranslation("submission");
  const secrets = useSecrets(use(UnfoldedContext)).data;
  const choices = choicesOf(secrets ?? [], group?.id);
  const options = choices.map(({ value, name, group: owner }) => ({
    value,
    label: owner ? t("secrets.ofGroup", { name, group: titleOf(owner, language) }) : name,
  }));
  return (
    <Form.List name="secrets">
      {(rows, { add, remove }) => (
        <Form.Item
          label={t("secrets.label")}
          extra={t(secrets && choices.length === 0 ? "secrets.nothing" : "secrets.about")}
        >
          {rows.map(({ key, name: index }) => (
            <div key={key} className={styles.secret}>
              <Form.Item
                name={[index, "secret"]}
                rules={[{ required: true, message: t("secrets.missing") }]}
              >
                <Select
                  aria-label={t("secrets.which", { number: index + 1 })}
                  placeholder={t("secrets.choose")}
                  options={options}
                />
              </Form.Item>
              <Form.Item name={[index, "as"]}>
                <Select
                  aria-label={t("secrets.as", { number: index + 1 })}
                  options={[
                    { value: "env", label: t("secrets.variable") },
                    { value: "file", label: t("secrets.file") },
                  ]}
                />
              </Form.Item>
              <TargetField index={index} />
              <Button
                type="text"
                icon={<DeleteOutlined />}
                aria-label={t("secrets.remove", { number: index + 1 })}
                onClick={() => remove(index)}
              />
            </div>
          ))}
          {choices.length > 0 && rows.length < SECRETS_MAX && (
            <Button icon={<PlusOutlined aria-hidden />} onClick={() => add({ as: "env" })}>
              {t("secrets.add")}
            </Button>
          )}
        </Form.Item>
      )}
    </Form.List>
  );
}

function TargetField({ index }: { index: number }) {
  const { t } = useTranslation("submission");
  const row: SecretRow | undefined = Form.useWatch(["secrets", index]);
  const as = row?.as ?? "env";
  return (
    <Form.Item
      name={[index, "target"]}
      dependencies={[["secrets", index, "as"]]}
      rules={[
        {
          validator: (_rule, target: string | undefined) =>
            isTarget(as, (target ?? "").trim())
              ? Promise.resolve()
              : Promise.reject(new Error(t(as === "env" ? "secrets.notEnv" : "secrets.notFile"))),
        },
      ]}
    >
      <Input
        className="mono"
        aria-label={t("secrets.target", { number: index + 1 })}
        placeholder={as === "env" ? "HUB_TOKEN" : "key.pem"}
        autoComplete="off"
        spellCheck={false}
      />
    </Form.Item>
  );
}

/** Environment variables, one row each. */
export function EnvFields() {
  const { t } = useTranslation("submission");
  return (
    <Form.List name="env">
      {(rows, { add, remove }) => (
        <Form.Item label={t("env.label")} extra={t("env.about")}>
          {rows.map(({ key, name: index }) => (
            <div key={key} className={styles.variable}>
              <NameCell index={index} />
              <Form.Item name={[index, "value"]}>
                <Input
                  className="mono"
                  aria-label={t("env.value", { number: index + 1 })}
                  placeholder={t("env.valueHint")}
                  autoComplete="off"
                />
              </Form.Item>
              <Button
                type="text"
                icon={<DeleteOutlined />}
                aria-label={t("env.remove", { number: index + 1 })}
                onClick={() => remove(index)}
              />
            </div>
          ))}
          <Button icon={<PlusOutlined aria-hidden />} onClick={() => add({})}>
            {t("env.add")}
          </Button>
        </Form.Item>
      )}
    </Form.List>
  );
}

function NameCell({ index }: { index: number }) {
  const { t } = useTranslation("submission");
  const form = Form.useFormInstance();
  const isTwice = () => isRepeated((form.getFieldValue("env") ?? []) as Variable[], index);
  return (
    <Form.Item
      name={[index, "name"]}
      rules={[
        { required: true, message: t("env.nameMissing") },
        { pattern: VARIABLE_NAME, message: t("env.nameWrong") },
        {
          validator: () =>
            isTwice() ? Promise.reject(new Error(t("env.nameTwice"))) : Promise.resolve(),
        },
      ]}
    >
      <Input
        className="mono"
        aria-label={t("env.name", { number: index + 1 })}
        placeholder={t("env.nameHint")}
        autoComplete="off"
        spellCheck={false}
      />
    </Form.Item>
  );
}
