/** A study in words: its title, what it changes, and how far it is. */
import { Tag } from "antd";
import type { Study, StudyChange } from "@/shared/api/types";
import { useGroups, usePools } from "@/shared/cluster/api/cluster";
import { formatDuration, formatMemory, formatMilli, formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";

/** The title of a study; without one, what it changes. */
export function useStudyTitle(): (study: Study) => string {
  const { t } = useTranslation("studies");
  const words = useChangeWords();
  return ({ title, scenario, change }) =>
    scenario ? t("story.title") : title || words(change).join(t("and")) || t("unchanged");
}

type QuotaChange = StudyChange["quotas"][number];
const LIMITS = ["guarantee", "deserved", "ceiling"] as const;

/** What a study changes, a sentence for each thing. */
export function useChangeWords(): (change: StudyChange) => string[] {
  const { t } = useTranslation("studies");
  const language = useLanguage();
  const pools = usePools().data ?? [];
  const pooled = (name: string) => {
    const pool = pools.find((one) => one.name === name);
    return pool ? titleOf(pool, language) : name || t("allPools");
  };
  const amount = (resource: string, value: number) =>
    resource === "gpu" || resource === "cpu"
      ? formatMilli(value, language)
      : formatMemory(value, language);
  const limits = (row: QuotaChange) => [
    ...LIMITS.flatMap((name) => {
      const value = row[name];
      return value === undefined ? [] : [`${t(`limit.${name}`)} ${amount(row.resource, value)}`];
    }),
    ...(row.unlimited ? [t("limit.unlimited")] : []),
    ...(row.weight ? [t("limit.weight", { weight: row.weight })] : []),
  ];
  const rule = useRuleWords(pooled);
  const grouped = useGroupTitle();
  return ({ pools: changed, quotas, nodes }) => [
    ...nodes.map(({ like, count }) => t("moreNodes", { count, like })),
    ...Object.entries(changed).flatMap(([pool, rules]) =>
      Object.entries(rules as object).map(([name, value]) =>
        t("rule", { pool: pooled(pool), rule: rule(name, value) }),
      ),
    ),
    ...quotas.map((row) => `${grouped(row.group)}, ${pooled(row.pool)}: ${limits(row).join(", ")}`),
  ];
}

/** What people call a group; its name where it is gone. */
export function useGroupTitle(): (name: string) => string {
  const language = useLanguage();
  const groups = useGroups().data ?? [];
  return (name) => {
    const group = groups.find((one) => one.name === name);
    return group ? titleOf(group, language) : name;
  };
}

/** A rule of a pool with its value, in the words of the page where it is set. */
function useRuleWords(pooled: (name: string) => string): (name: string, value: unknown) => string {
  const coded = useCodedText();
  const language = useLanguage();
  const said: Record<string, (name: string, value: unknown) => string | null> = {
    boolean: (_, value) => coded(`policy:${value ? "on" : "off"}`),
    number: (name, value) =>
      name.endsWith("_s")
        ? formatDuration(Number(value), language)
        : formatNumber(Number(value), language),
    string: (name, value) => coded(`policy:choice.${name}.${value}`),
    // Lending is several rules in one: its title is enough.
    object: (_, value) => (Array.isArray(value) ? value.map(pooled).join(", ") : ""),
  };
  return (name, value) => {
    const title = coded(`policy:knob.${name}.title`) ?? coded(`policy:section.${name}`) ?? name;
    const words = said[typeof value]?.(name, value) ?? String(value);
    return words ? `${title}: ${words}` : title;
  };
}

const COLOURS = { waiting: "default", running: "processing", done: "success", failed: "error" };

export function PhaseTag({ study }: { study: Pick<Study, "phase"> }) {
  const { t } = useTranslation("studies");
  return <Tag color={COLOURS[study.phase]}>{t(`phase.${study.phase}`)}</Tag>;
}
