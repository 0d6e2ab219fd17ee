import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import type { Measure } from "../model/figures";

/** A figure in its unit; a dash for what is not known. */
export function useMeasureWords(): (measure: Measure, value: number | null) => string {
  const language = useLanguage();
  return (measure, value) => {
    if (value === null) return "–";
    if (measure.endsWith("_s")) return formatDuration(value, language);
    if (measure === "utilisation_permille") return `${formatNumber(value / 10, language)} %`;
    return formatNumber(value, language, 0);
  };
}
