import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage } from "@/shared/i18n/language";
import type { Knob } from "../model/knobs";

/** The value of a rule in words: `6 hr`, `on`, `none`. */
export function useKnobWords(pools: readonly Pool[]): (knob: Knob, value: unknown) => string {
  const { t } = useTranslation("policy");
  const coded = useCodedText();
  const language = useLanguage();
  const titled = (name: string) => {
    const pool = pools.find((one) => one.name === name);
    return pool ? titleOf(pool, language) : name;
  };
  const say = {
    flag: (value: unknown) => t(value ? "on" : "off"),
    choice: (value: unknown, name: string) =>
      coded(`policy:choice.${name}.${value}`) ?? String(value),
    pools: (value: unknown) => (value as string[]).map(titled).join(", ") || t("noPool"),
    windows: (value: unknown) => {
      const { length } = value as unknown[];
      return length === 0 ? t("wholeWeek") : formatNumber(length, language);
    },
    time: (value: unknown) => formatDuration(Number(value), language),
    count: (value: unknown) => formatNumber(Number(value), language),
  } satisfies Record<Knob["kind"], (value: unknown, name: string) => string>;
  return (knob, value) => say[knob.kind](value, knob.name);
}
