/** Reasons, causes, expected starts and requests in words, in the reader's language. */
import { useTranslation } from "react-i18next";
import type { Reason, StartRange } from "@/shared/api/types";
import { formatMemory, formatMilli, formatWhen } from "@/shared/i18n/format";
import { useCodedText, useLanguage } from "@/shared/i18n/language";
import { useMaybeMe } from "@/shared/session/me";
import { useNow } from "@/shared/ui/time";
import {
  type FormatAmount,
  nodeWords,
  paramsWithResource,
  readableParams,
  sentenceOf,
  spanOf,
} from "../model/reasons";

/** The sentence for a reason: what keeps it waiting, with the numbers that prove it. */
export function useReasonSentence(): (reason: Reason) => string {
  const { t } = useTranslation("workload");
  const known = useKnownReason();
  return (reason) => known(reason) ?? t("reasonOther", { code: reason.code });
}

/** The same, or null when the catalogue has no sentence for the code. */
export function useKnownReason(): (reason: Reason) => string | null {
  const coded = useCodedText();
  const language = useLanguage();
  const say: FormatAmount = (resource, amount) =>
    coded(`workload:amount.${resource}`, { ...amount }) ?? amount.amount;
  const groups = useMaybeMe()?.memberships.map(({ group }) => group) ?? [];
  const titled = (params: Record<string, unknown>) => {
    const group = groups.find(({ name }) => name === params.group);
    return group ? { ...params, group: group.title } : params;
  };
  return (reason) => {
    const words = readableParams(titled(paramsWithResource(reason)), language, say);
    const counter = coded(`workload:counter.${words.counter}`) ?? words.counter;
    return coded(`workload:reason.${sentenceOf(reason)}`, { ...words, counter });
  };
}

/** The sentence for the cause of a state change, with what the node reported about it. */
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

interface Devices {
  cards: number;
  slices: number;
  share_milli?: number;
  share_mib?: number;
  mig_profile?: string;
  replicas: number;
}

interface Requested extends Devices {
  cpu_milli: number;
  memory_mib: number;
}

/** The devices that are asked for, in words: `2 slices`, `4 cards × 2 ranks`. */
export function useDeviceWords(): (devices: Devices) => string {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const part = ({ cards, slices, share_milli, share_mib = 0, mig_profile }: Devices) => {
    if (mig_profile) return t("request.profile", { profile: mig_profile });
    if (share_milli) {
      const memory = formatMemory(share_mib, language);
      return t("request.share", { percent: share_milli / 10, memory });
    }
    if (slices > 0) return t("request.slices", { count: slices });
    return cards > 0 ? t("request.cards", { count: cards }) : t("request.noCards");
  };
  return (devices) => {
    const { replicas } = devices;
    const one = part(devices);
    return replicas > 1 ? t("request.ranks", { one, count: replicas }) : one;
  };
}

/** All that is asked for: devices, and `8 cores · 16.0 GiB`. */
export function useRequestWords(): (request: Requested) => { devices: string; host: string } {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const devices = useDeviceWords();
  return (request) => {
    const { cpu_milli, memory_mib } = request;
    const cores = t("request.cores", {
      count: cpu_milli / 1000,
      amount: formatMilli(cpu_milli, language),
    });
    return {
      devices: devices(request),
      host: `${cores} · ${formatMemory(memory_mib, language)}`,
    };
  };
}
