import { useTranslation } from "@/shared/i18n/language";
import { type SettingName, scaleOf, type TemplateTerms } from "../model/templates";

/** Locked fields and ranges in words. */
export function useTermWords(): (terms: TemplateTerms) => string[] {
  const { t } = useTranslation("submission");
  const labelOf = (name: string) => t(`template.field.${name as SettingName}`);
  return ({ locked, ranges }) => [
    ...(locked.length > 0
      ? [t("template.lockedFields", { fields: locked.map(labelOf).join(", ") })]
      : []),
    ...Object.entries(ranges).map(([name, { min, max }]) => {
      const scale = scaleOf(name);
      return `${labelOf(name)} ${rangeWords(min && min / scale, max && max / scale)}`;
    }),
  ];
}

function rangeWords(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `≤ ${max}`;
  return max === undefined ? `≥ ${min}` : `${min}–${max}`;
}
