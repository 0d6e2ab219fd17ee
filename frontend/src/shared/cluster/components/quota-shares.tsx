import { useTranslation } from "react-i18next";
import { Loading, ProblemAlert } from "@/shared/ui/query-states";
import { useQuotas } from "../api/use-quotas";
import { cardShares } from "../model/quotas";
import { QuotaMeter } from "./quota-meter";
import styles from "./quota-meter.module.css";

/** The groups' shares of the cards of one pool, as far as this reader may see them. */
export function QuotaShares({ poolId }: { poolId: string }) {
  const { t } = useTranslation("cluster");
  const quotas = useQuotas(null);
  if (quotas.isPending) return <Loading rows={3} />;
  if (!quotas.data) return <ProblemAlert error={quotas.error} />;
  const shares = cardShares(quotas.data, poolId);
  if (shares.length === 0) return <p className={styles.none}>{t("quota.none")}</p>;
  return (
    <div className={styles.list}>
      {shares.map((quota) => (
        <QuotaMeter key={quota.id} quota={quota} label={quota.group.title} isDetailed />
      ))}
    </div>
  );
}
