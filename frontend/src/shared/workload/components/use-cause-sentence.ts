import { useTranslation } from "react-i18next";
import { useCodedText } from "@/shared/i18n/coded-text";

/** The sentence for the cause of a state change, with the node's own words where it sent some. */
export function useCauseSentence(): (cause: string, params: Record<string, unknown>) => string {
  const { t } = useTranslation("workload");
  const coded = useCodedText();
  return (code, params) => {
    const cause = coded(`workload:cause.${code}`) ?? code;
    const { detail } = params;
    return typeof detail === "string" && detail ? t("causeWithDetail", { cause, detail }) : cause;
  };
}
