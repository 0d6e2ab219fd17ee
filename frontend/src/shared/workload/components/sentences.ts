/** Reasons, causes, expected starts and requests in words, in the reader's language. */
import { useQueryClient } from "@tanstack/react-query";
import type { Group, GroupRef, Pool, Reason, StartRange } from "@/shared/api/types";
import { clusterKeys, useGroups, usePools } from "@/shared/cluster/api/cluster";
import {
  formatDeadline,
  formatDuration,
  formatMemory,
  formatMilli,
  formatNumber,
  formatWhen,
  formatZone,
} from "@/shared/i18n/format";
import {
  type Language,
  titleOf,
  useCodedText,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { useMaybeMe, useMe } from "@/shared/session/me";
import { isGroupAdmin, isStaff } from "@/shared/session/roles";
import { useNow } from "@/shared/ui/time";
import type { HeldCard } from "../model/held-cards";
import {
  amountsIn,
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
  const me = useMe();
  // Reasons name groups and pools, also such as the reader is no member of.
  useGroups(isStaff(me) || isGroupAdmin(me));
  usePools();
  const known = useKnownReason();
  return (reason) => known(reason) ?? t("reasonOther", { code: reason.code });
}

/** The same with the names that were fetched already; null for a code without a sentence. */
export function useKnownReason(): (reason: Reason) => string | null {
  const { t } = useTranslation("workload");
  const coded = useCodedText();
  const language = useLanguage();
  const { groupNamed, poolNamed } = useFetchedNames();
  const say: FormatAmount = (resource, { count, amount, slices }) =>
    slices > 0
      ? t("gpu_slices", { count: slices, amount })
      : (coded(`workload:amount.${resource}`, { count, amount }) ?? amount);
  return (reason) => {
    const params = paramsWithResource(reason);
    const [group, pool] = [groupNamed(params.group), poolNamed(params.pool)];
    const words = readableParams(params, { language, now: new Date(), say, pool });
    const { limit, model } = words;
    return coded(`workload:reason.${sentenceOf(reason)}`, {
      ...words,
      ...(limit && model && { limit: t("amount.of_model", { amount: limit, model }) }),
      ...(group && { group: titleOf(group, language) }),
      ...(pool && { pool: titleOf(pool, language) }),
      counter: coded(`workload:counter.${words.counter}`) ?? words.counter,
      isolation: coded(`workload:isolation.${words.isolation}`) ?? words.isolation,
    });
  };
}

/** Groups and pools by their names, as far as some page has fetched them. */
function useFetchedNames() {
  const client = useQueryClient();
  const memberships = useMaybeMe()?.memberships ?? [];
  const fetched = <Row>(queryKey: readonly string[]) =>
    client.getQueryData<{ results: Row[] }>(queryKey)?.results ?? [];
  return {
    groupNamed: (wanted: unknown): GroupRef | undefined =>
      [...memberships.map(({ group }) => group), ...fetched<Group>(clusterKeys.groups)].find(
        ({ name }) => name === wanted,
      ),
    poolNamed: (wanted: unknown) =>
      fetched<Pool>(clusterKeys.pools).find(({ name }) => name === wanted),
  };
}

/** The sentence for the cause of a state change, with what the node reported about it. */
export function useCauseSentence(): (cause: string, params: Record<string, unknown>) => string {
  const { t } = useTranslation("workload");
  const coded = useCodedText();
  const language = useLanguage();
  const known = useKnownReason();

  /** A known code as a sentence, with what the words name in it, or the engine's own behind it. */
  function detailOf(said: string): string {
    const { code, words } = nodeWords(said);
    const named =
      code && words && coded(`workload:faultOf.${code}`, { name: words, ...amountsIn(words) });
    if (named) return named;
    const sentence = code && coded(`workload:fault.${code}`);
    if (!sentence) return said;
    return words ? t("faultWithWords", { sentence, words }) : sentence;
  }

  /** A priority by its name, and why something was refused as a sentence. */
  function namesOf({ priority, code, ...params }: Record<string, unknown>) {
    const named = priority ? coded(`workload:priority.${priority}`) : null;
    const why = typeof code === "string" && (known({ code, params }) ?? code);
    return { ...(named && { priority: named }), ...(why && { why }) };
  }

  return (code, given) => {
    const { actor, detail } = given;
    const params = { ...given, ...timesOf(given, language), ...namesOf(given) };
    const byActor = actor ? coded(`workload:causeBy.${code}`, params) : null;
    const cause = byActor ?? coded(`workload:cause.${code}`, params) ?? code;
    return typeof detail === "string" && detail
      ? t("causeWithDetail", { cause, detail: detailOf(detail) })
      : cause;
  };
}

/** Moments, counts of minutes and memory among parameters, as text. */
function timesOf(params: Record<string, unknown>, language: Language): Record<string, string> {
  const now = new Date();
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => {
      if (typeof value !== "number") return [];
      if (name.endsWith("_at")) return [[name, formatDeadline(new Date(value), now, language)]];
      if (name.endsWith("_mib")) return [[name, formatMemory(value, language)]];
      return name.endsWith("_min") ? [[name, formatDuration(60 * value, language)]] : [];
    }),
  );
}

/** When it is expected to start and why: `between 14:20 and 15:05 GMT+8, from time limits`. */
export function useStartWords(): (range: StartRange) => string {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const now = useNow();
  const say = (moment: Date) => formatWhen(moment, now, language);
  return (range) => {
    const span = spanOf(range, now);
    const zone = formatZone(new Date(range.latest), language);
    const basis = t(`expected.basis.${range.basis}`);
    if (span.form === "about") return t("expected.about", { at: say(span.at), zone, basis });
    if (span.form === "by") return t("expected.by", { to: say(span.to), zone, basis });
    return t("expected.between", { from: say(span.from), to: say(span.to), zone, basis });
  };
}

/** How often such an estimate came true on this site: `8 of 10 such estimates came inside this range`. */
export function useSureWords(): (range: StartRange) => string {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  return ({ sure_percent, estimates }) =>
    sure_percent === null
      ? t("expected.sureUnknown")
      : t("expected.sure", {
          tens: Math.floor(sure_percent / 10),
          estimates: formatNumber(estimates, language),
        });
}

interface Devices {
  gpus: number;
  slices: number;
  gpu_milli?: number;
  gpu_memory_mib?: number;
  mig_profile?: string;
  replicas: number;
}

interface Requested extends Devices {
  cpu_milli: number;
  memory_mib: number;
}

/** The devices that are asked for, in words: `2 slices`, `4 GPUs × 2 ranks`. */
export function useDeviceWords(): (devices: Devices) => string {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const part = ({ gpus, slices, gpu_milli, gpu_memory_mib = 0, mig_profile }: Devices) => {
    if (mig_profile) return t("request.profile", { profile: mig_profile });
    if (gpu_milli) {
      const memory = formatMemory(gpu_memory_mib, language);
      return t("request.share", { percent: gpu_milli / 10, memory });
    }
    if (slices > 0) return t("request.slices", { count: slices });
    return gpus > 0 ? t("request.gpus", { count: gpus }) : t("request.noGpu");
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

/** A card, or what of it is held: its slices, its share, its MIG instance. */
export function useHeldWords(migProfile = ""): (card: HeldCard) => string {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  return ({ index, slots, gpuMilli, memoryMib, ceilingMib }) => {
    const held = formatMemory(memoryMib, language);
    const most = formatMemory(ceilingMib, language);
    const of = { card: index, memory: ceilingMib ? t("fact.growing", { held, most }) : held };
    if (migProfile) return t("fact.partition", { ...of, profile: migProfile });
    if (gpuMilli > 0) return t("fact.share", { ...of, percent: gpuMilli / 10 });
    return slots.length > 0
      ? t("fact.slices", { ...of, slots: slots.join(", ") })
      : t("fact.card", of);
  };
}
