import { type ReactNode, useState } from "react";
import type { Pool, PoolQueue } from "@/shared/api/types";
import { QuotaShares } from "@/shared/cluster/components/quota-meter";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useArrival } from "@/shared/lists/api/views";
import { Panel } from "@/shared/ui/page";
import { PageTabs } from "@/shared/ui/page-tabs";
import { QueryBoundary } from "@/shared/ui/query-states";
import { type QueueFilter, useQueue } from "../api/queue";
import { type AxisSpan, axisOf, barsOf, spanFor } from "../model/schedule";
import styles from "./queue.module.css";
import { Lanes, Ruler, ScheduleLegend } from "./schedule";
import { ChosenFilter, WaitingTable } from "./waiting-table";

interface QueueViewProps {
  pool: Pool;
  filter?: QueueFilter;
  /** How the groups stand, beside their quotas. */
  standing?: ReactNode;
}

/** One pool: who waits in which order and what runs until when; or the groups' shares. */
export function QueueView({ pool, filter = {}, standing }: QueueViewProps) {
  const { t } = useTranslation("queue");
  useArrival("queue");
  const board = <QueueBoard pool={pool} filter={filter} />;
  const shares = (
    <div className="stack">
      <Panel title={t("shares")} extra={<span className={styles.hint}>{t("sharesAbout")}</span>}>
        <QuotaShares poolId={pool.id} />
      </Panel>
      {standing}
    </div>
  );
  return (
    <div>
      <PageTabs
        label={t("tab.label")}
        tabs={[
          { key: "board", label: t("tab.board"), content: board },
          { key: "shares", label: t("tab.shares"), content: shares },
        ]}
      />
    </div>
  );
}

function QueueBoard({ pool, filter }: Omit<BoardProps, "queue">) {
  return (
    <QueryBoundary query={useQueue(pool.id, filter)} rows={8}>
      {(queue) => <Board queue={queue} pool={pool} filter={filter} />}
    </QueryBoundary>
  );
}

interface BoardProps {
  queue: PoolQueue;
  pool: Pool;
  filter: QueueFilter;
}

/** What runs above what waits, on one axis of time. */
function Board({ queue, pool, filter }: BoardProps) {
  const { t } = useTranslation("queue");
  const language = useLanguage();
  // Of the moment of the answer: bars do not creep under the pointer.
  const [now, setNow] = useState(() => ({ queue, at: new Date() }));
  if (now.queue !== queue) setNow({ queue, at: new Date() });
  const [chosen, setChosen] = useState<AxisSpan | null>(null);
  const span = chosen ?? spanFor(queue, now.at);
  const axis = axisOf(span, now.at);
  return (
    <Panel
      title={titleOf(pool, language)}
      extra={
        <span className={styles.hint}>{t("waitingCount", { count: queue.waiting_total })}</span>
      }
    >
      <div className="stack">
        <section aria-label={t("running")}>
          <Ruler axis={axis} span={span} onSpan={setChosen} />
          <Lanes bars={barsOf(queue, now.at)} axis={axis} />
        </section>
        <section aria-label={t("waiting")}>
          <ChosenFilter filter={filter} />
          <WaitingTable queue={queue} pool={pool} axis={axis} filter={filter} />
        </section>
        <div>
          <ScheduleLegend />
          <p className={styles.hint}>{t("scheduleAbout")}</p>
        </div>
      </div>
    </Panel>
  );
}
