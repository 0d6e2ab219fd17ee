import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Pool, PoolQueue, WaitingWork, WorkGlimpse } from "@/shared/api/types";
import { QuotaShares } from "@/shared/cluster/components/quota-meter";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import {
  useDeviceWords,
  useReasonSentence,
  useStartWords,
} from "@/shared/workload/components/sentences";
import { GlimpseName } from "@/shared/workload/components/workload-link";
import { useQueue } from "../api/queue";
import styles from "./queue.module.css";
import { Schedule } from "./schedule";

/** One pool: who waits in which order, what runs until when, and the groups' shares. */
export function QueueView({ pool }: { pool: Pool }) {
  return (
    <QueryBoundary query={useQueue(pool.id)} rows={8}>
      {(queue) => <QueuePanels queue={queue} poolId={pool.id} />}
    </QueryBoundary>
  );
}

function QueuePanels({ queue, poolId }: { queue: PoolQueue; poolId: string }) {
  const { t } = useTranslation("queue");
  const { waiting, waiting_total } = queue;
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
        <Schedule queue={queue} />
      </Panel>
      <Panel title={t("shares")} extra={<span className={styles.hint}>{t("sharesAbout")}</span>}>
        <QuotaShares poolId={poolId} />
      </Panel>
    </>
  );
}

/** So many are listed at first: what runs until when stands below them. */
const FIRST = 15;

interface WaitingTableProps {
  waiting: readonly WaitingWork[];
  /** How many wait in all; only the first are listed. */
  total: number;
}

/** Who waits, in the order in which they start. */
function WaitingTable({ waiting, total }: WaitingTableProps) {
  const { t } = useTranslation("queue");
  const columns = useWaitingColumns();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole || waiting.length <= FIRST + 1 ? waiting : waiting.slice(0, FIRST);
  if (waiting.length === 0) return <EmptyState title={t("empty.title")} text={t("empty.text")} />;
  return (
    <>
      <DataTable
        label={t("waiting")}
        columns={columns}
        rows={shown}
        rowKey={(row) => waiting.indexOf(row)}
      />
      {shown.length < waiting.length && (
        <Button className={styles.whole ?? ""} onClick={() => setWhole(true)}>
          {t("whole", { count: waiting.length })}
        </Button>
      )}
      {shown === waiting && total > waiting.length && (
        <p className={styles.hint}>{t("more", { count: total - waiting.length })}</p>
      )}
    </>
  );
}

function useWaitingColumns(): Column<WaitingWork>[] {
  const { t } = useTranslation("queue");
  const devices = useDeviceWords();
  const startWords = useStartWords();
  const sentence = useReasonSentence();
  const whose = ({ owner, group }: WorkGlimpse) =>
    [owner && (owner.display_name || owner.username), group?.title].filter(Boolean).join(" · ");
  return [
    {
      key: "position",
      isShort: true,
      title: t("column.position"),
      cell: ({ position }) => <span className="num">{position ?? "–"}</span>,
    },
    {
      key: "work",
      title: t("column.work"),
      cell: ({ work }) => (
        <>
          <GlimpseName work={work} />
          <span className="second">{whose(work)}</span>
        </>
      ),
    },
    {
      key: "request",
      isShort: true,
      title: t("column.request"),
      cell: ({ work }) => (
        <span className="num">
          {devices(work)}
          {work.preemptible && <span className="second">{t("preemptible")}</span>}
        </span>
      ),
    },
    {
      key: "submitted",
      isShort: true,
      title: t("column.submitted"),
      cell: ({ submitted_at }) => <Age at={submitted_at} />,
    },
    {
      key: "start",
      isShort: true,
      title: t("column.start"),
      cell: ({ expected_start }) =>
        expected_start ? <span className="num">{startWords(expected_start)}</span> : "–",
    },
    {
      key: "reason",
      title: t("column.reason"),
      cell: ({ work, reasons: [first] }) => (work.id && first ? sentence(first) : "–"),
    },
  ];
}
