import { Form, Input, Radio, Select } from "antd";
import { useState } from "react";
import { problemOf } from "@/shared/api/problem";
import { useTranslation } from "@/shared/i18n/language";
import { useHomePrograms } from "@/shared/submission/api/submission";
import { isNotebook, parametersIn, scriptFor } from "@/shared/submission/model/files";
import { useProblemText } from "@/shared/ui/query-states";
import { isShortScript, SCRIPT_KIB_MAX, splitCommand } from "../model/program";
import { nameFor } from "../model/resubmission";
import styles from "./jobs.module.css";

const SCRIPT_ROWS = { minRows: 8, maxRows: 24 };
const COMMAND_ROWS = { minRows: 2, maxRows: 8 };

interface ProgramFieldsProps {
  /** What the script runs that the form began with. */
  file: string | undefined;
  asksForFile: boolean;
}

/** What the job runs: a shell script, or one command without a shell. */
export function ProgramFields({ file: first, asksForFile }: ProgramFieldsProps) {
  const { t } = useTranslation("jobs");
  const [file, setFile] = useState(first);
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
      {way === "script" && asksForFile && <FileField file={file} onChoose={setFile} />}
      {way === "script" && file && isNotebook(file) && <ParameterField key={file} file={file} />}
      {way === "script" ? (
        <Form.Item
          name="script"
          label={t("form.script")}
          extra={t("form.scriptAbout")}
          rules={[
            { required: true, whitespace: true, message: t("form.programMissing") },
            {
              validator: (_rule, script: string) =>
                isShortScript(script ?? "")
                  ? Promise.resolve()
                  : Promise.reject(new Error(t("form.scriptTooLong", { max: SCRIPT_KIB_MAX }))),
            },
          ]}
        >
          <Input.TextArea
            autoSize={SCRIPT_ROWS}
            spellCheck={false}
            className={styles.code ?? ""}
            {...(asksForFile && { placeholder: t("form.scriptHint") })}
          />
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

interface FileFieldProps {
  file: string | undefined;
  onChoose: (file: string) => void;
}

/** The program of the home that the script shall run; the job is named after it unless it has a name. */
function FileField({ file, onChoose }: FileFieldProps) {
  const { t } = useTranslation("jobs");
  const form = Form.useFormInstance();
  const programs = useHomePrograms();
  const describe = useProblemText();
  const take = (chosen: string) => {
    const isNamed =
      form.isFieldTouched("name") && form.getFieldValue("name") !== nameFor(file ?? "");
    form.setFieldsValue({ script: scriptFor(chosen), ...(!isNamed && { name: nameFor(chosen) }) });
    onChoose(chosen);
  };
  return (
    <Form.Item label={t("form.file")} htmlFor="file-to-run" extra={t("form.fileAbout")}>
      <Select
        id="file-to-run"
        showSearch
        value={file ?? null}
        onChange={take}
        placeholder={t("form.fileHint")}
        loading={programs.isPending}
        options={(programs.data ?? []).map((path) => ({ value: path, label: path }))}
        notFoundContent={programs.error ? describe(problemOf(programs.error)) : t("form.fileNone")}
      />
    </Form.Item>
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
