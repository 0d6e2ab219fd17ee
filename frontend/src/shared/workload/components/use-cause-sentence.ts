import { useTranslation } from "react-i18next";
import { useCodedText } from "@/shared/i18n/language";
import { nodeWords } from "../model/fault-code";

/** The sentence for the cause of a state change, with what the node said about it. */
export function useCauseSentence(): (cause: string, params: Record<string, unknown>) => string {
  const { t } = useTranslation("workload");
  const coded = useCodedText();

  /** A known code as a sentence, with the engine's own words behind it. */
  function detailOf(said: string): string {
    const { code, words } = nodeWords(said);
    const sentence = code && coded(`workload:fault.${code}`);
    if (!sentence) return said;
    return words ? t("faultWithWords", { sentence, words }) : sentence;
  }

  return (code, params) => {
    const cause = coded(`workload:cause.${code}`, params) ?? code;
    const { detail } = params;
    return typeof detail === "string" && detail
      ? t("causeWithDetail", { cause, detail: detailOf(detail) })
      : cause;
  };
}
