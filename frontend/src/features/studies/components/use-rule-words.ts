import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { useCodedText, useLanguage } from "@/shared/i18n/language";

/** A rule of a pool with its value, in the words of the page where it is set. */
export function useRuleWords(
  pooled: (name: string) => string,
): (name: string, value: unknown) => string {
  const coded = useCodedText();
  const language = useLanguage();
  const said: Record<string, (name: string, value: unknown) => string | null> = {
    boolean: (_, value) => coded(`policy:${value ? "on" : "off"}`),
    number: (name, value) =>
      name.endsWith("_s")
        ? formatDuration(Number(value), language)
        : formatNumber(Number(value), language),
    string: (name, value) => coded(`policy:choice.${name}.${value}`),
    // Of lending, which is several rules in one, the title says enough.
    object: (_, value) => (Array.isArray(value) ? value.map(pooled).join(", ") : ""),
  };
  return (name, value) => {
    const title = coded(`policy:knob.${name}.title`) ?? coded(`policy:section.${name}`) ?? name;
    const words = said[typeof value]?.(name, value) ?? String(value);
    return words ? `${title}: ${words}` : title;
  };
}
