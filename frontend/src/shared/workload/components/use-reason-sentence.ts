import { useTranslation } from "react-i18next";
import type { Reason } from "@/shared/api/types";
import { useCodedText, useLanguage } from "@/shared/i18n/language";
import { useMaybeMe } from "@/shared/session/me";
import { readableParams, type SayAmount, sentenceOf, unitedParams } from "../model/reason-params";

/** The sentence for a reason: what keeps it waiting, with the numbers that prove it. */
export function useReasonSentence(): (reason: Reason) => string {
  const { t } = useTranslation("workload");
  const known = useKnownReason();
  return (reason) => known(reason) ?? t("reasonOther", { code: reason.code });
}

/** The same, or null when the code is no reason that these pages know. */
export function useKnownReason(): (reason: Reason) => string | null {
  const coded = useCodedText();
  const language = useLanguage();
  const say: SayAmount = (resource, amount) =>
    coded(`workload:amount.${resource}`, { ...amount }) ?? amount.amount;
  const groups = useMaybeMe()?.memberships.map(({ group }) => group) ?? [];
  const titled = (params: Record<string, unknown>) => {
    const group = groups.find(({ name }) => name === params.group);
    return group ? { ...params, group: group.title } : params;
  };
  return (reason) => {
    const words = readableParams(titled(unitedParams(reason)), language, say);
    const counter = coded(`workload:counter.${words.counter}`) ?? words.counter;
    return coded(`workload:reason.${sentenceOf(reason)}`, { ...words, counter });
  };
}
