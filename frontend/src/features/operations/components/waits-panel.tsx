import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Overview, QueuedCount, Waits } from "@/shared/api/types";
import { formatGpus, formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import { Elapsed } from "@/shared/ui/time";
import { useStopWork } from "@/shared/workload/api/row-actions";
import { useDeviceWords } from "@/shared/workload/components/sentences";
import { GlimpseName, WorkloadLink } from "@/shared/workload/components/workload-link";
import { remedyOf } from "../model/operations";
import styles from "./operations.module.css";

/** Who waits and why: by reason, by group, and those who have waited longest. */
export function WhoWaits({ waits }: { waits: Waits }) {
  const { t } = useTranslation(["operations", "queue"]);
  const language = useLanguage();
  const coded = useCodedText();
  const { total, by_reason, by_group } = waits;
  if (total === 0) {
    return (
      <Panel title={t("waits.title")}>
        <p className="quiet">{t("waits.none")}</p>
      </Panel>
    );
  }
  return (
    <Panel
      title={t("waits.title")}
      extra={
        <span className="second num">
          {t("waits.total", { count: total, amount: formatNumber(total, language) })}
        </span>
      }
    >
      <div className={styles.thirds}>
        <CountTable
          title={t("waits.byReason")}
          name={t("column.reason")}
          rows={by_reason}
          nameOf={({ code, pool }) => (
            <Link to="/queue" search={{ pool: pool.name, ...(code && { reason: code }) }}>
              {coded(`queue:why.${code || "new"}`) ?? code}
            </Link>
          )}
        />
        <CountTable
          title={t("waits.byGroup")}
          name={t("column.group")}
          rows={by_group}
          nameOf={({ group, pool }) =>
            group && (
              <Link to="/queue" search={{ pool: pool.name, team: group.id }}>
                {titleOf(group, language)}
              </Link>
            )
          }
        />
        <Longest waits={waits} />
      </div>
    </Panel>
  );
}

interface CountTableProps {
  title: string;
  name: string;
  rows: readonly QueuedCount[];
  nameOf: Column<QueuedCount>["cell"];
}

function CountTable({ title, name, rows, nameOf }: CountTableProps) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <DataTable
        label={title}
        rows={rows}
        rowKey={({ pool, group, code }) => `${pool.id} ${group?.id} ${code}`}
        columns={[
          {
            key: "name",
            title: name,
            cell: (row) => (
              <>
                {nameOf(row)}
                <span className="second">{titleOf(row.pool, language)}</span>
              </>
            ),
          },
          {
            key: "count",
            isShort: true,
            title: t("column.waiting"),
            cell: ({ count }) => <span className="num">{formatNumber(count, language)}</span>,
          },
          {
            key: "oldest",
            isShort: true,
            title: t("column.oldest"),
            cell: ({ oldest_at }) => <Elapsed since={oldest_at} isCoarse />,
          },
        ]}
      />
    </section>
  );
}

function Longest({ waits: { longest } }: { waits: Waits }) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const devices = useDeviceWords();
  return (
    <section aria-label={t("waits.longest")}>
      <h3>{t("waits.longest")}</h3>
      <ul className={styles.longest}>
        {longest.map(({ work, pool, queued_at }) => (
          <li key={work.id ?? queued_at}>
            <GlimpseName work={work} />
            <span className="second">
              {[
                work.owner && (work.owner.display_name || work.owner.username),
                work.group && titleOf(work.group, language),
              ]
                .filter(Boolean)
                .join(" · ")}
            </span>
            <span className="second num">
              {devices(work)} · {titleOf(pool, language)} · <Elapsed since={queued_at} isCoarse />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is wasted and what waits, as one list of things to do: each with where it is done. */
const IDLE_SHOWN = 4;
const REASONS_SHOWN = 4;

export function TodoPanel({ overview, waits }: { overview: Overview; waits: Waits }) {
  const { t } = useTranslation("operations");
  const idle = overview.idle.slice(0, IDLE_SHOWN);
  const reasons = waits.by_reason.slice(0, REASONS_SHOWN);
  return (
    <Panel title={t("todo.title")} extra={<span className="second">{t("todo.about")}</span>}>
      {idle.length + reasons.length === 0 && <p className="quiet">{t("todo.none")}</p>}
      <ul className={styles.todo}>
        {idle.map((work) => (
          <IdleLine key={work.id} work={work} />
        ))}
        {reasons.map((row) => (
          <WaitLine key={`${row.pool.id} ${row.code}`} row={row} />
        ))}
      </ul>
    </Panel>
  );
}

interface TodoLineProps {
  what: ReactNode;
  about: ReactNode;
  action: ReactNode;
}

function TodoLine({ what, about, action }: TodoLineProps) {
  return (
    <li>
      <div>
        {what}
        <span className="second">{about}</span>
      </div>
      <div className={styles.todoAction}>{action}</div>
    </li>
  );
}

/** GPUs that are held and not used: its owner may be asked, or it is stopped. */
function IdleLine({ work }: { work: Overview["idle"][number] }) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const stop = useStopWork();
  const { id, kind, name, owner, group, gpu_milli, since } = work;
  const amount = formatGpus(gpu_milli, language);
  return (
    <TodoLine
      what={
        <>
          <WorkloadLink workload={work} />{" "}
          {t("holders.idle", { count: Math.max(1, gpu_milli / 1000), amount })}
        </>
      }
      about={
        <>
          {owner.display_name || owner.username} · {titleOf(group, language)}
          {since && (
            <>
              {" · "}
              <Elapsed since={since} isCoarse />
            </>
          )}
        </>
      }
      action={
        <ConfirmButton
          action={t("todo.stop")}
          label={t("todo.stopNamed", { name })}
          question={t("todo.stopAbout", { owner: owner.display_name || owner.username })}
          isDangerous
          mutation={stop}
          input={{ id, kind }}
        />
      }
    />
  );
}

/** What waits for one reason: it leads to who can do something about that reason. */
function WaitLine({ row: { code, pool, count, oldest_at } }: { row: QueuedCount }) {
  const { t } = useTranslation(["operations", "queue"]);
  const language = useLanguage();
  const coded = useCodedText();
  const remedy = remedyOf(code);
  return (
    <TodoLine
      what={
        <Link to="/queue" search={{ pool: pool.name, ...(code && { reason: code }) }}>
          {formatNumber(count, language)} × {coded(`queue:why.${code || "new"}`) ?? code}
        </Link>
      }
      about={
        <>
          {titleOf(pool, language)} · {t("figure.oldest")} <Elapsed since={oldest_at} isCoarse />
        </>
      }
      action={
        <Link to={remedy.to} className={styles.todoLink}>
          {t(`todo.${remedy.act}`)}
        </Link>
      }
    />
  );
}
