import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { CodeBlock } from "@/shared/ui/code-block";
import { commandLine } from "../model/command-line";

/** What the job runs, as it was submitted. */
export function Program({ job: { spec } }: { job: WorkloadDetail }) {
  const { t } = useTranslation("jobs");
  if (spec.script) return <CodeBlock label={t("form.script")} text={spec.script} />;
  if (!spec.command?.length) return null;
  return <CodeBlock label={t("form.command")} text={commandLine(spec.command)} />;
}
