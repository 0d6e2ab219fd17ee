import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { QuotaShares } from "@/shared/cluster/components/quota-meter";
import { Panel } from "@/shared/ui/page";
import { Loading, ProblemAlert } from "@/shared/ui/query-states";
import { useQueue } from "../api/use-queue";
import styles from "./queue.module.css";
import { Schedule } from "./schedule";
import { WaitingTable } from "./waiting-table";

/** One pool: who waits in which order, what runs until when, and the groups' shares. */
export function QueueView({ pool }: { pool: Pool }) {
  const { t } = useTranslation("queue");
  const queue = useQueue(pool.id);
  if (queue.isPending) return <Loading rows={8} />;
  if (!queue.data) return <ProblemAlert error={queue.error} onRetry={() => void queue.refetch()} />;
  const { waiting, waiting_total } = queue.data;
  return (
    <>
      <Panel
        title={t("waiting")}
        extra={<span className={styles.hint}>{t("waitingCount", { count: waiting_total })}</span>}
      >
        <WaitingTable waiting={waiting} total={waiting_total} />
      </Panel>
      <Panel
        title={t("schedule")}
        extra={<span className={styles.hint}>{t("scheduleAbout")}</span>}
      >
        <Schedule queue={queue.data} />
      </Panel>
      <Panel title={t("shares")} extra={<span className={styles.hint}>{t("sharesAbout")}</span>}>
        <QuotaShares poolId={pool.id} />
      </Panel>
    </>
  );
}
