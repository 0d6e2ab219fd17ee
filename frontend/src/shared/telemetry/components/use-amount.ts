import { useTranslation } from "react-i18next";
import { formatBytes, formatMemory, formatMilli, formatNumber } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";

/** Says an amount in its unit. */
export function useAmount(): (value: number, unit: string) => string {
  const { t } = useTranslation("telemetry");
  const language = useLanguage();
  return (value, unit) => {
    switch (unit) {
      case "percent":
        return `${formatNumber(value, language, 0)} %`;
      case "mebibytes":
        return formatMemory(value, language);
      case "watts":
        return `${formatNumber(value, language, 0)} W`;
      case "milli":
        return t("cores", { amount: formatMilli(Math.round(value / 10) * 10, language) });
      default:
        return `${formatBytes(Math.round(value), language)}/s`;
    }
  };
}
