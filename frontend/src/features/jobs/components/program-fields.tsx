import { Form, Input, Radio } from "antd";
import { useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { isNotebook, parametersIn, scriptFor } from "@/shared/submission/model/files";
import { splitCommand } from "../model/program";
import styles from "./jobs.module.css";

const SCRIPT_ROWS = { minRows: 8, maxRows: 24 };
const COMMAND_ROWS = { minRows: 2, maxRows: 8 };

/**
 * What the job runs: a shell script, or one command without a shell. `file` is what the script runs
 * that the form began with.
 */
export function ProgramFields({ file }: { file?: string | undefined }) {
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
      {way === "script" && file && isNotebook(file) && <ParameterField file={file} />}
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

/** What a notebook is run with; it is written into the script, where everybody can read it. */
function ParameterField({ file }: { file: string }) {
  const { t } = useTranslation("jobs");
  const form = Form.useFormInstance();
  const [text, setText] = useState("");
  const isWrong = parametersIn(text) === null;
  const take = (typed: string) => {
    setText(typed);
    const parameters = parametersIn(typed);
    if (parameters) form.setFieldValue("script", scriptFor(file, parameters));
  };
  return (
    <Form.Item
      label={t("form.parameters")}
      htmlFor="notebook-parameters"
      extra={t("form.parametersAbout")}
      {...(isWrong && { validateStatus: "error", help: t("form.parametersWrong") })}
    >
      <Input.TextArea
        id="notebook-parameters"
        value={text}
        onChange={({ target }) => take(target.value)}
        autoSize={COMMAND_ROWS}
        spellCheck={false}
        placeholder="epochs=10"
        className={styles.code ?? ""}
      />
    </Form.Item>
  );
}
