import { Form, Input, Radio } from "antd";
import { useTranslation } from "react-i18next";
import { splitCommand } from "../model/command-words";
import styles from "./program-fields.module.css";

const SCRIPT_ROWS = { minRows: 8, maxRows: 24 };
const COMMAND_ROWS = { minRows: 2, maxRows: 8 };

/** What the job runs: a shell script, or one command without a shell. */
export function ProgramFields() {
  const { t } = useTranslation("jobs");
  const way: "script" | "command" = Form.useWatch("way") ?? "script";
  return (
    <>
      <Form.Item name="way" label={t("form.program")}>
        <Radio.Group
          aria-label={t("form.program")}
          optionType="button"
          options={[
            { value: "script", label: t("form.script") },
            { value: "command", label: t("form.command") },
          ]}
        />
      </Form.Item>
      {way === "script" ? (
        <Form.Item
          name="script"
          label={t("form.script")}
          extra={t("form.scriptAbout")}
          rules={[{ required: true, whitespace: true, message: t("form.programMissing") }]}
        >
          <Input.TextArea autoSize={SCRIPT_ROWS} spellCheck={false} className={styles.code ?? ""} />
        </Form.Item>
      ) : (
        <Form.Item
          name="command"
          label={t("form.command")}
          extra={t("form.commandAbout")}
          rules={[
            { required: true, whitespace: true, message: t("form.programMissing") },
            {
              validator: (_rule, line: string) =>
                splitCommand(line ?? "").isComplete
                  ? Promise.resolve()
                  : Promise.reject(new Error(t("form.quoteOpen"))),
            },
          ]}
        >
          <Input.TextArea
            autoSize={COMMAND_ROWS}
            spellCheck={false}
            className={styles.code ?? ""}
          />
        </Form.Item>
      )}
    </>
  );
}
