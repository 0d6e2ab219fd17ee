import { Link } from "@tanstack/react-router";
import type { QueuedCount, Waits } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import { Age } from "@/shared/ui/time";
import { useDeviceWords } from "@/shared/workload/components/sentences";
import { GlimpseName } from "@/shared/workload/components/workload-link";
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
            cell: ({ oldest_at }) => <Age at={oldest_at} />,
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
              {devices(work)} · {titleOf(pool, language)} · <Age at={queued_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
