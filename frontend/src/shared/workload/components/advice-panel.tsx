import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { Panel } from "@/shared/ui/page";
import { useAdvice } from "../api/use-advice";
import { AdviceWords } from "./advice";

/** What its owner could ask for instead; nothing where nothing was measured or nothing less will do. */
export function AdvicePanel({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const advice = useAdvice(workload).data;
  if (!advice) return null;
  return (
    <Panel title={t("advice.title")} testId="advice">
      <AdviceWords advice={advice} />
    </Panel>
  );
}
