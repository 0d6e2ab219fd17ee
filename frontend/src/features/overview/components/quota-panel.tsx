import type { ReactNode } from "react";
import type { Quota } from "@/shared/api/types";
import { useQuotas } from "@/shared/cluster/api/cluster";
import { QuotaMeter } from "@/shared/cluster/components/quota-meter";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useChosenGroup } from "@/shared/session/me";
import { Panel } from "@/shared/ui/page";
import { Loading, ProblemAlert } from "@/shared/ui/query-states";
import { limitedOnly, quotaTitle } from "../model/overview";
import styles from "./overview.module.css";

/** What my groups may use and do use, resource by resource; my own part stands out. */
export function QuotaPanel({ help }: { help: ReactNode }) {
  const language = useLanguage();
  const { t } = useTranslation("overview");
  const quotas = useQuotas(useChosenGroup());
  return (
    <Panel
      title={t("quota.title")}
      extra={
        <span className={styles.hint}>
          {t("quota.mine")} {help}
        </span>
      }
    >
      {quotas.isPending && <Loading rows={3} />}
      {quotas.isError && <ProblemAlert error={quotas.error} />}
      {quotas.data && <QuotaMeters quotas={limitedOnly(quotas.data, language)} />}
    </Panel>
  );
}

function QuotaMeters({ quotas }: { quotas: readonly Quota[] }) {
  const { t } = useTranslation("overview");
  const coded = useCodedText();
  const language = useLanguage();
  if (quotas.length === 0) return <p className={styles.hint}>{t("quota.none")}</p>;
  const hasManyGroups = new Set(quotas.map(({ group }) => group.id)).size > 1;
  return (
    <div className={styles.meters}>
      {quotas.map((quota) => (
        <QuotaMeter
          key={quota.id}
          quota={quota}
          label={quotaTitle(
            hasManyGroups ? titleOf(quota.group, language) : null,
            quota.model || (coded(`cluster:quota.resource.${quota.resource}`) ?? quota.resource),
            quota.pool && titleOf(quota.pool, language),
          )}
        />
      ))}
    </div>
  );
}
