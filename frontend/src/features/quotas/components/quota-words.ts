/** Quotas and their limits in words. */
import type { QuotaLimits } from "@/shared/api/types";
import { usePools } from "@/shared/cluster/api/cluster";
import { formatAmount } from "@/shared/cluster/model/quotas";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { FIELDS, type QuotaField } from "../model/drafts";

interface Scope {
  pool: string | null;
  resource: string;
  model: string;
}

/** Resource, model and pool of a quota. */
export function useScopeWords(): (scope: Scope) => string {
  const { t } = useTranslation("quotas");
  const coded = useCodedText();
  const language = useLanguage();
  const pools = usePools().data ?? [];
  return ({ pool: id, resource, model }) => {
    const pool = pools.find((one) => one.id === id);
    const where = id === null ? t("allPools") : pool ? titleOf(pool, language) : id;
    return [coded(`cluster:quota.resource.${resource}`) ?? resource, model, where]
      .filter(Boolean)
      .join(" · ");
  };
}

/** A limit as people read it. */
export function useQuotaLimitWords(): (
  resource: string,
  field: QuotaField,
  limits: QuotaLimits | null,
) => string {
  const { t } = useTranslation(["quotas", "cluster"]);
  const language = useLanguage();
  return (resource, field, limits) => {
    if (limits === null) return "–";
    if (field === "weight") return t(`cluster:quota.weight.${limits.weight}`);
    const value = limits[field];
    return value === null ? t("unlimited") : formatAmount(resource, value, language);
  };
}

/** What a member may hold at most, as people read it; null is no ceiling of the member's own. */
export function useCeilingWords(): (resource: string, amount: number | null) => string {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  return (resource, amount) =>
    amount === null ? t("member.asGroup") : formatAmount(resource, amount, language);
}

interface Changed {
  resource: string;
  before: QuotaLimits | null;
  after: QuotaLimits | null;
}

/** What one item of a change did: `Ceiling 6 → 8`, for each limit that is another. */
export function useQuotaChangeWords(): (item: Changed) => string {
  const { t } = useTranslation("quotas");
  const say = useQuotaLimitWords();
  return ({ resource, before, after }) => {
    const named = (field: QuotaField) => (field === "weight" ? t("weight") : t(`limit.${field}`));
    const words = FIELDS.filter((field) => before?.[field] !== after?.[field]).map((field) =>
      before && after
        ? t("history.fromTo", {
            limit: named(field),
            before: say(resource, field, before),
            after: say(resource, field, after),
          })
        : t("history.has", {
            limit: named(field),
            amount: say(resource, field, after ?? before),
          }),
    );
    if (!before) return t("history.added", { limits: words.join(" · ") });
    if (!after) return t("history.removed", { limits: words.join(" · ") });
    return words.join(" · ");
  };
}
