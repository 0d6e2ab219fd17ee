import { Form, Input, Radio, Select } from "antd";
import { problemOf } from "@/shared/api/problem";
import { useTranslation } from "@/shared/i18n/language";
import { useHomePrograms } from "@/shared/submission/api/submission";
import { isNotebook, parametersIn } from "@/shared/submission/model/files";
import { isShortScript, SCRIPT_KIB_MAX, splitCommand } from "@/shared/submission/model/program";
import { useProblemText } from "@/shared/ui/query-states";
import { type JobFormValues, scriptOf } from "../model/job-form";
import styles from "./jobs.module.css";

const SCRIPT_ROWS = { minRows: 3, maxRows: 24 };
const COMMAND_ROWS = { minRows: 2, maxRows: 8 };
const WAYS = ["file", "script", "command"] as const;

/** What the job runs: a file of the home, a shell script, or one command without a shell. */
export function ProgramFields() {
  const { t } = useTranslation("jobs");
  const form = Form.useFormInstance<JobFormValues>();
  const way: JobFormValues["way"] = Form.useWatch("way") ?? "script";
  /** A script begins with what runs the file that was chosen before. */
  const goOn = (next: JobFormValues["way"]) => {
    const { file, parameters = "" } = form.getFieldsValue(true);
    if (way === "file" && next === "script" && file)
      form.setFieldsValue({ script: scriptOf(file, parameters) });
  };
  return (
    <>
      <Form.Item name="way">
        <Radio.Group
          aria-label={t("form.program")}
          optionType="button"
          onChange={({ target }) => goOn(target.value)}
          options={WAYS.map((value) => ({ value, label: t(`form.ways.${value}`) }))}
        />
      </Form.Item>
      {way === "file" && <FileField />}
      {way === "script" && <ScriptField />}
      {way === "command" && <CommandField />}
    </>
  );
}

function ScriptField() {
  const { t } = useTranslation("jobs");
  const isShort = (_rule: unknown, script: string) =>
    isShortScript(script ?? "")
      ? Promise.resolve()
      : Promise.reject(new Error(t("form.scriptTooLong", { max: SCRIPT_KIB_MAX })));
  return (
    <Form.Item
      name="script"
      extra={t("form.scriptAbout")}
      rules={[
        { required: true, whitespace: true, message: t("form.programMissing") },
        { validator: isShort },
      ]}
    >
      <Input.TextArea
        aria-label={t("form.script")}
        autoSize={SCRIPT_ROWS}
        spellCheck={false}
        className={styles.code ?? ""}
      />
    </Form.Item>
  );
}

function CommandField() {
  const { t } = useTranslation("jobs");
  const isComplete = (_rule: unknown, line: string) =>
    splitCommand(line ?? "").isComplete
      ? Promise.resolve()
      : Promise.reject(new Error(t("form.quoteOpen")));
  return (
    <Form.Item
      name="command"
      extra={t("form.commandAbout")}
      rules={[
        { required: true, whitespace: true, message: t("form.programMissing") },
        { validator: isComplete },
      ]}
    >
      <Input.TextArea
        aria-label={t("form.command")}
        autoSize={COMMAND_ROWS}
        spellCheck={false}
        className={styles.code ?? ""}
      />
    </Form.Item>
  );
}

/** The program of the home that shall run, and what a notebook is run with. */
function FileField() {
  const { t } = useTranslation("jobs");
  const file: string | undefined = Form.useWatch("file");
  const programs = useHomePrograms();
  const describe = useProblemText();
  return (
    <>
      <Form.Item
        name="file"
        extra={t("form.fileAbout")}
        rules={[{ required: true, message: t("form.programMissing") }]}
      >
        <Select
          aria-label={t("form.file")}
          showSearch
          placeholder={t("form.fileHint")}
          loading={programs.isPending}
          options={(programs.data ?? []).map((path) => ({ value: path, label: path }))}
          notFoundContent={
            programs.error ? describe(problemOf(programs.error)) : t("form.fileNone")
          }
        />
      </Form.Item>
      {file && isNotebook(file) && <ParameterField />}
    </>
  );
}

/** They are written into the job's script, where everybody can read them. */
function ParameterField() {
  const { t } = useTranslation("jobs");
  const areRight = (_rule: unknown, text: string) =>
    parametersIn(text ?? "")
      ? Promise.resolve()
      : Promise.reject(new Error(t("form.parametersWrong")));
  return (
    <Form.Item
      name="parameters"
      label={t("form.parameters")}
      extra={t("form.parametersAbout")}
      rules={[{ validator: areRight }]}
    >
      <Input.TextArea
        autoSize={COMMAND_ROWS}
        spellCheck={false}
        placeholder="epochs=10"
        className={styles.code ?? ""}
      />
    </Form.Item>
  );
}
