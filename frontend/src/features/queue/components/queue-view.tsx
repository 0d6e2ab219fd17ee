import { Link } from "@tanstack/react-router";
import { Button } from "antd";
import { useState } from "react";
import type { Pool, PoolQueue, WaitingWork, WorkGlimpse } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { QuotaShares } from "@/shared/cluster/components/quota-meter";
import {
  titleIn,
  titleOf,
  useCodedText,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { useListSort } from "@/shared/lists/api/address";
import { useArrival } from "@/shared/lists/api/views";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import {
  useDeviceWords,
  useReasonSentence,
  useStartWords,
} from "@/shared/workload/components/sentences";
import { GlimpseName } from "@/shared/workload/components/workload-link";
import { type QueueFilter, useQueue } from "../api/queue";
import styles from "./queue.module.css";
import { Schedule } from "./schedule";

/** One pool: who waits in which order, what runs until when, and the groups' shares. */
export function QueueView({ pool, filter = {} }: { pool: Pool; filter?: QueueFilter }) {
  useArrival("queue");
  return (
    <QueryBoundary query={useQueue(pool.id, filter)} rows={8}>
      {(queue) => <QueuePanels queue={queue} poolId={pool.id} filter={filter} />}
    </QueryBoundary>
  );
}

interface QueuePanelsProps {
  queue: PoolQueue;
  poolId: string;
  filter: QueueFilter;
}

function QueuePanels({ queue, poolId, filter }: QueuePanelsProps) {
  const { t } = useTranslation("queue");
  const { waiting, waiting_total } = queue;
  return (
    <>
      <Panel
        title={t("waiting")}
        extra={<span className={styles.hint}>{t("waitingCount", { count: waiting_total })}</span>}
      >
        <ChosenFilter filter={filter} />
        <WaitingTable
          waiting={waiting}
          total={waiting_total}
          isFiltered={Boolean(filter.reason ?? filter.team)}
        />
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

/** What the list is narrowed to, and a way back to all of it. */
function ChosenFilter({ filter: { reason, team } }: { filter: QueueFilter }) {
  const language = useLanguage();
  const { t } = useTranslation("queue");
  const coded = useCodedText();
  const groups = useGroups(Boolean(team)).data ?? [];
  if (!reason && !team) return null;
  const words = [
    reason && t("only.reason", { reason: coded(`queue:why.${reason}`) ?? reason }),
    team &&
      t("only.team", {
        group: titleIn(groups, team, language) ?? "…",
      }),
  ];
  return (
    <p className={styles.only}>
      <strong>{t("only.label")}</strong> {words.filter(Boolean).join(" · ")}{" "}
      <Link to="." search={({ reason: _reason, team: _team, ...rest }: QueueSearch) => rest}>
        {t("only.clear")}
      </Link>
    </p>
  );
}

type QueueSearch = QueueFilter & { pool?: string | undefined };

/** So many are listed at first: what runs until when stands below them. */
const FIRST = 15;

interface WaitingTableProps {
  waiting: readonly WaitingWork[];
  /** How many wait in all; only the first are listed. */
  total: number;
  isFiltered: boolean;
}

/** Who waits, in the order in which they start. */
function WaitingTable({ waiting, total, isFiltered }: WaitingTableProps) {
  const { t } = useTranslation("queue");
  const columns = useWaitingColumns();
  const [sort] = useListSort("sort");
  const [isAsked, setAsked] = useState(false);
  const isWhole = isAsked || sort !== null;
  const shown = isWhole || waiting.length <= FIRST + 1 ? waiting : waiting.slice(0, FIRST);
  if (waiting.length === 0) {
    return isFiltered ? (
      <EmptyState title={t("only.empty.title")} text={t("only.empty.text")} />
    ) : (
      <EmptyState title={t("empty.title")} text={t("empty.text")} />
    );
  }
  return (
    <>
      <ListTable
        id="queue"
        views="queue"
        label={t("waiting")}
        columns={columns}
        rows={shown}
        loadAll={() => Promise.resolve(waiting)}
        rowKey={(row) => waiting.indexOf(row)}
      />
      {shown.length < waiting.length && (
        <Button className={styles.whole ?? ""} onClick={() => setAsked(true)}>
          {t("whole", { count: waiting.length })}
        </Button>
      )}
      {shown === waiting && total > waiting.length && (
        <p className={styles.hint}>{t("more", { count: total - waiting.length })}</p>
      )}
    </>
  );
}

function useWaitingColumns(): ListColumn<WaitingWork>[] {
  const language = useLanguage();
  const { t } = useTranslation("queue");
  const devices = useDeviceWords();
  const startWords = useStartWords();
  const sentence = useReasonSentence();
  const whose = ({ owner, group }: WorkGlimpse) =>
    [owner && (owner.display_name || owner.username), group && titleOf(group, language)]
      .filter(Boolean)
      .join(" · ");
  return [
    {
      key: "position",
      isShort: true,
      title: t("column.position"),
      value: ({ position }) => position ?? null,
      cell: ({ position }) => <span className="num">{position ?? "–"}</span>,
    },
    {
      key: "work",
      title: t("column.work"),
      value: ({ work }) => work.name ?? null,
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
      value: ({ work }) => devices(work),
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
      value: ({ submitted_at }) => submitted_at,
      cell: ({ submitted_at }) => <Age at={submitted_at} />,
    },
    {
      key: "start",
      isShort: true,
      title: t("column.start"),
      value: ({ expected_start }) => expected_start?.earliest ?? null,
      cell: ({ expected_start }) =>
        expected_start ? <span className="num">{startWords(expected_start)}</span> : "–",
    },
    {
      key: "reason",
      title: t("column.reason"),
      value: ({ work, reasons: [first] }) => (work.id && first ? first.code : null),
      cell: ({ work, reasons: [first] }) => (work.id && first ? sentence(first) : "–"),
    },
  ];
}
