import { useTranslation } from "react-i18next";
import { useCodedText } from "@/shared/i18n/coded-text";
import { useKnownReason } from "@/shared/workload/components/use-reason-sentence";
import type { Problem } from "./problem";

/** The sentence for a problem: ours for its code, else the server's own, else an honest general one. */
export function useProblemText(): (problem: Problem) => string {
  const { t } = useTranslation("api");
  const coded = useCodedText();
  const reason = useKnownReason();
  return ({ code, params, detail, title, status }) =>
    coded(`api:problem.${code}`, params) ??
    reason({ code, params }) ??
    (detail || title || t("unexplained", { status }));
}
