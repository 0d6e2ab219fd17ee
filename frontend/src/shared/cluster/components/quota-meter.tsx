import type { Quota } from "@/shared/api/types";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { Meter } from "@/shared/ui/meter";
import { QueryBoundary } from "@/shared/ui/query-states";
import { usePools, useQuotas } from "../api/cluster";
import { formatAmount, gpuShares, isInMib, overShare, slicesIn } from "../model/quotas";
import styles from "./cluster.module.css";

interface QuotaMeterProps {
  quota: Quota;
  label: string;
  /** With guarantee, deserved share and what is above it. */
  isDetailed?: boolean;
}

/** What is used of one quota; my own part stands out. */
export function QuotaMeter({ quota, label, isDetailed = false }: QuotaMeterProps) {
  const { t } = useTranslation("cluster");
  const coded = useCodedText();
  const language = useLanguage();
  const { resource, used, my_used, ceiling, guarantee, deserved, weight } = quota;
  const pool = usePools().data?.find(({ id }) => id === quota.pool?.id);
  const say = (value: number) => formatAmount(resource, value, language);
  const withUnit = (value: number) => {
    const amount = say(value);
    const count = isInMib(resource) ? value : Math.max(1, value / 1000);
    return coded(`cluster:quota.unit.${resource}`, { amount, count }) ?? amount;
  };
  const isPromising = quota.model === "";
  const slices = resource === "gpu" ? slicesIn(used, pool) : 0;
  const inSlices = slices > 0 && t("quota.slices", { count: slices });
  const over = overShare(quota);
  return (
    <div>
      <Meter
        label={label}
        amount={
          ceiling === null
            ? t("quota.open", { used: inSlices || withUnit(used) })
            : t("quota.amount", { used: inSlices || say(used), limit: withUnit(ceiling) })
        }
        used={used}
        mine={my_used}
        limit={ceiling}
        marks={isDetailed && isPromising ? [guarantee, deserved] : []}
      />
      {isDetailed && isPromising && (
        <p className={`num ${styles.quotaAbout}`}>
          {t("quota.marks", { guarantee: say(guarantee), deserved: say(deserved) })}
          {` · ${t("quota.weighted", { weight: t(`quota.weight.${weight}`) })}`}
          {over > 0 && (
            <strong className={styles.quotaOver}>
              {" "}
              · {t("quota.over", { amount: say(over) })}
            </strong>
          )}
        </p>
      )}
    </div>
  );
}

/** The groups' GPU quotas in one pool, as far as this reader may see them. */
export function QuotaShares({ poolId }: { poolId: string }) {
  const language = useLanguage();
  const { t } = useTranslation("cluster");
  const listOf = (quotas: readonly Quota[]) => {
    const shares = gpuShares(quotas, poolId);
    if (shares.length === 0) return <p className={styles.quotaNone}>{t("quota.none")}</p>;
    return (
      <div className={styles.quotaList}>
        {shares.map((quota) => (
          <QuotaMeter
            key={quota.id}
            quota={quota}
            label={titleOf(quota.group, language)}
            isDetailed
          />
        ))}
      </div>
    );
  };
  return (
    <QueryBoundary query={useQuotas(null)} rows={3} canRetry={false}>
      {listOf}
    </QueryBoundary>
  );
}
