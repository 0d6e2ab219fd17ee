import { useTranslation } from "react-i18next";
import type { Quota } from "@/shared/api/types";
import { useQuotas } from "@/shared/cluster/api/use-quotas";
import { useCodedText } from "@/shared/i18n/coded-text";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { formatMemory, formatMilli } from "@/shared/lib/format";
import { useChosenGroup } from "@/shared/session/use-chosen-group";
import { Loading } from "@/shared/ui/loading";
import { Meter } from "@/shared/ui/meter";
import { Panel } from "@/shared/ui/panel";
import { ProblemAlert } from "@/shared/ui/problem-alert";
import { isInMib, limitedOnly, quotaTitle } from "../model/quotas";
import styles from "./overview.module.css";

/** What my groups may use and do use, resource by resource; my own part stands out. */
export function QuotaPanel() {
  const { t } = useTranslation("overview");
  const quotas = useQuotas(useChosenGroup());
  return (
    <Panel title={t("quota.title")} extra={<span className={styles.hint}>{t("quota.mine")}</span>}>
      {quotas.isPending && <Loading rows={3} />}
      {quotas.isError && <ProblemAlert error={quotas.error} />}
      {quotas.data && <QuotaMeters quotas={limitedOnly(quotas.data)} />}
    </Panel>
  );
}

function QuotaMeters({ quotas }: { quotas: readonly Quota[] }) {
  const { t } = useTranslation("overview");
  if (quotas.length === 0) return <p className={styles.hint}>{t("quota.none")}</p>;
  const hasManyGroups = new Set(quotas.map(({ group }) => group.id)).size > 1;
  return (
    <div className={styles.meters}>
      {quotas.map((quota) => (
        <QuotaMeter
          key={`${quota.group.id} ${quota.pool?.id} ${quota.resource}`}
          quota={quota}
          isGroupNamed={hasManyGroups}
        />
      ))}
    </div>
  );
}

function QuotaMeter({ quota, isGroupNamed }: { quota: Quota; isGroupNamed: boolean }) {
  const coded = useCodedText();
  const language = useLanguage();
  const { group, pool, resource, used, my_used, ceiling } = quota;
  const write = isInMib(resource) ? formatMemory : formatMilli;
  const amounts = { used: write(used, language), limit: write(ceiling ?? 0, language) };
  return (
    <Meter
      label={quotaTitle(
        isGroupNamed ? group.title : null,
        coded(`overview:quota.resource.${resource}`) ?? resource,
        pool && titleOf(pool, language),
      )}
      amount={coded(`overview:quota.amount.${resource}`, amounts) ?? ""}
      used={used}
      mine={my_used}
      limit={ceiling}
    />
  );
}
