import { useTranslation } from "react-i18next";
import type { StartRange } from "@/shared/api/types";
import { formatWhen } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { useNow } from "@/shared/ui/time";
import { spanOf } from "../model/expected";

/** When it is expected to start and what that rests on: `between 14:20 and 15:05, by time limits`. */
export function useStartWords(): (range: StartRange) => string {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const now = useNow();
  const say = (moment: Date) => formatWhen(moment, now, language);
  return (range) => {
    const span = spanOf(range, now);
    const basis = t(`expected.basis.${range.basis}`);
    if (span.form === "about") return t("expected.about", { at: say(span.at), basis });
    if (span.form === "by") return t("expected.by", { to: say(span.to), basis });
    return t("expected.between", { from: say(span.from), to: say(span.to), basis });
  };
}
