import { useTranslation } from "react-i18next";
import type { StudyChange } from "@/shared/api/types";
import { usePools } from "@/shared/cluster/api/cluster";
import { formatMemory, formatMilli } from "@/shared/i18n/format";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { useRuleWords } from "./use-rule-words";

type QuotaRow = StudyChange["quotas"][number];
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
  const limits = (row: QuotaRow) => [
    ...LIMITS.flatMap((name) => {
      const value = row[name];
      return value === undefined ? [] : [`${t(`limit.${name}`)} ${amount(row.resource, value)}`];
    }),
    ...(row.unlimited ? [t("limit.unlimited")] : []),
    ...(row.weight ? [t("limit.weight", { weight: row.weight })] : []),
  ];
  const rule = useRuleWords(pooled);
  return ({ pools: changed, quotas, nodes }) => [
    ...nodes.map(({ like, count }) => t("moreNodes", { count, like })),
    ...Object.entries(changed).flatMap(([pool, rules]) =>
      Object.entries(rules as object).map(([name, value]) =>
        t("rule", { pool: pooled(pool), rule: rule(name, value) }),
      ),
    ),
    ...quotas.map((row) => `${row.group}, ${pooled(row.pool)}: ${limits(row).join(", ")}`),
  ];
}
