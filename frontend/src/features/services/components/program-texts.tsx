import { Form, type FormInstance, Input } from "antd";
import type { ServicePreset } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { splitCommand } from "@/shared/submission/model/program";
import { wantedOf } from "../model/revision";

const COMMAND_ROWS = { minRows: 1, maxRows: 6 };
const MODEL_MAX = 500;

/** Model, command and arguments of a replica; what the preset does not bring has to be filled in. */
export function ProgramTexts({ preset }: { preset: ServicePreset | undefined }) {
  const { t } = useTranslation("services");
  const isComplete = (_rule: unknown, line: string) =>
    splitCommand(line ?? "").isComplete
      ? Promise.resolve()
      : Promise.reject(new Error(t("form.quoteOpen")));
  const isThere =
    (field: "command" | "model") =>
    ({ getFieldValue }: Pick<FormInstance, "getFieldValue">) => ({
      validator: (_rule: unknown, text: string | undefined) =>
        wantedOf(preset, { command: getFieldValue("command") })[field] && !text?.trim()
          ? Promise.reject(new Error(t(`form.${field}Missing`)))
          : Promise.resolve(),
    });
  return (
    <>
      <Form.Item
        name="model"
        label={t("form.model")}
        extra={t("form.modelAbout")}
        dependencies={["command"]}
        rules={[isThere("model")]}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={MODEL_MAX} />
      </Form.Item>
      <Form.Item
        name="command"
        label={t("form.command")}
        extra={t("form.commandAbout", { port: "{port}", model: "{model}" })}
        rules={[{ validator: isComplete }, isThere("command")]}
      >
        <Input.TextArea autoSize={COMMAND_ROWS} spellCheck={false} />
      </Form.Item>
      <Form.Item
        name="arguments"
        label={t("form.arguments")}
        extra={t("form.argumentsAbout")}
        rules={[{ validator: isComplete }]}
      >
        <Input.TextArea autoSize={COMMAND_ROWS} spellCheck={false} />
      </Form.Item>
    </>
  );
}
