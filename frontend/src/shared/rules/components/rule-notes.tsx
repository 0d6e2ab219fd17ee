/** Rules in a submission form: what they fill in, lock and bound, and whose they are. */
import type { FormInstance } from "antd";
import { createContext, use, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { FieldRule } from "@/shared/api/types";
import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { scaleOf } from "@/shared/submission/model/templates";

/** The rules for the group and pool that the form around has chosen. */
export const RulesContext = createContext<readonly FieldRule[]>([]);

/** What the rules say about one field of the API. */
export function useRule(field: string): FieldRule | undefined {
  return use(RulesContext).find((rule) => rule.field === field);
}

/** Those of these values of a field that the rules allow. */
export function useAllowed<Word extends string>(field: string, words: readonly Word[]): Word[] {
  const choices = useRule(field)?.choices ?? null;
  return words.filter((word) => choices === null || choices.includes(word));
}

/** Under a field: what a rule says about it, and whose it is; nothing without one. */
export function RuleNote({ field }: { field: string }) {
  const { t } = useTranslation("rules");
  const language = useLanguage();
  const rule = useRule(field);
  if (!rule) return null;
  const { min, max, is_locked, is_required, choices } = rule;
  const names = rule.sources.map((source) =>
    t(`source.${source.scope}`, { name: titleOf(source, language) }),
  );
  const by = new Intl.ListFormat(language).format(names);
  const words = (amount: number) =>
    field === "time_limit_s"
      ? formatDuration(amount, language)
      : formatNumber(amount / scaleOf(field), language);
  if (is_locked) return <div>{t("note.locked", { by })}</div>;
  if (min !== null && max !== null)
    return <div>{t("note.between", { min: words(min), max: words(max), by })}</div>;
  if (min !== null) return <div>{t("note.atLeast", { min: words(min), by })}</div>;
  if (max !== null) return <div>{t("note.atMost", { max: words(max), by })}</div>;
  if (choices !== null) return <div>{t("note.choices", { by })}</div>;
  return is_required ? <div>{t("note.required", { by })}</div> : null;
}

/**
 * Fills defaults of rules into a form when they are known, and again where group or pool change:
 * what is locked always, anything else unless it was typed, or came with what the form began with.
 */
export function useRuleDefaults<Values extends object>(
  form: FormInstance<Values>,
  rules: readonly FieldRule[],
  valuesOf: (rules: readonly FieldRule[]) => Partial<Values>,
  began: object | undefined,
) {
  const last = useRef<Record<string, unknown>>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other rules fill in again
  useEffect(() => {
    const locked = valuesOf(rules.filter(({ is_locked }) => is_locked));
    // What was filled in counts as touched, too.
    const isTyped = (name: string) =>
      form.isFieldTouched(name as never) &&
      form.getFieldValue(name as never) !== last.current[name];
    const open = Object.entries(valuesOf(rules)).filter(
      ([name]) => !(isTyped(name) || (began && name in began)),
    );
    const filled = { ...Object.fromEntries(open), ...locked };
    last.current = filled;
    if (Object.keys(filled).length > 0)
      form.setFieldsValue(filled as Parameters<typeof form.setFieldsValue>[0]);
  }, [form, rules]);
}
