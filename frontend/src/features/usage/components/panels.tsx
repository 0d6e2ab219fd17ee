import { Button } from "antd";
import { useState } from "react";
import type { UsageRow, WaitRow } from "@/shared/api/types";
import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { NativeSelect } from "@/shared/ui/controls";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { LinkButton, Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { useSiteToday, useUsage, useWaits } from "../api/usage";
import { formatHours, reportFile, reportMonths, type UsageQuery } from "../model/usage";
import styles from "./usage.module.css";
import { useMoney, useSubject } from "./usage-table";

const WAITS = ["p50_s", "p90_s", "p95_s", "longest_s"] as const;
const IDLE_MAX = 8;

/** How long work waited before its first start. */
export function WaitsPanel({ query }: { query: UsageQuery }) {
  const { t } = useTranslation("usage");
  return (
    <Panel title={t("waits.title")}>
      <QueryBoundary query={useWaits(query)} rows={4}>
        {(rows) => <WaitsTable rows={rows} />}
      </QueryBoundary>
    </Panel>
  );
}

export function WaitsTable({ rows }: { rows: readonly WaitRow[] }) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const columns: Column<WaitRow>[] = [
    {
      key: "kind",
      title: t("grouping.kind"),
      cell: ({ kind }) => t(`kind.${(kind || "all") as "all"}`),
    },
    {
      key: "count",
      title: t("waits.count"),
      isShort: true,
      cell: ({ count }) => <span className="num">{formatNumber(count, language, 0)}</span>,
    },
    // Durations of two units may break: five columns of them are wider than half a page.
    ...WAITS.map((name) => ({
      key: name,
      title: t(`waits.${name}`),
      cell: (row: WaitRow) => <span className="num">{formatDuration(row[name], language)}</span>,
    })),
  ];
  return (
    <DataTable
      label={t("waits.title")}
      columns={columns}
      rows={rows}
      rowKey={({ kind }) => kind || "all"}
      empty={<EmptyState title={t("waits.empty")} text={t("waits.emptyText")} />}
    />
  );
}

/** What a month such as `2026-11` is called. */
export function useMonthName(): (month: string) => string {
  const name = new Intl.DateTimeFormat(useLanguage(), { year: "numeric", month: "long" });
  return (month) => name.format(new Date(`${month}-15T12:00`));
}

/** The report of a month, as a page and as files. */
export function ReportPanel({ group }: { group: string | undefined }) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const months = reportMonths(useSiteToday());
  const [month, setMonth] = useState(months[0]);
  const named = useMonthName();
  const address = (format: "csv" | "pdf") => reportFile({ month, group, language, format });
  return (
    <Panel title={t("report.title")}>
      <p className="quiet note">{t("report.about")}</p>
      <div className={styles.filters}>
        <NativeSelect
          label={t("report.month")}
          value={month ?? ""}
          options={months.map((value) => ({ value, label: named(value) }))}
          onChoose={setMonth}
        />
        <LinkButton
          isPrimary={false}
          to="/usage/report"
          search={{ ...(month && { month }), ...(group && { group }) }}
        >
          {t("report.show")}
        </LinkButton>
        <Button href={address("pdf")} download>
          PDF
        </Button>
        <Button href={address("csv")} download>
          CSV
        </Button>
      </div>
    </Panel>
  );
}

/** GPUs that were held and not used, by who held them. */
export function IdlePanel({ query }: { query: UsageQuery }) {
  const { t } = useTranslation("usage");
  const usage = useUsage({ ...query, group_by: "user" });
  return (
    <Panel title={t("idle.title")}>
      <p className="quiet note">{t("idle.about")}</p>
      <QueryBoundary query={usage} rows={3}>
        {({ rows }) => <IdleTable rows={rows} />}
      </QueryBoundary>
    </Panel>
  );
}

function IdleTable({ rows }: { rows: readonly UsageRow[] }) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const money = useMoney();
  const subject = useSubject("user");
  const idle = rows
    .filter(({ idle_milli_s }) => idle_milli_s > 0)
    .sort((one, other) => other.idle_milli_s - one.idle_milli_s)
    .slice(0, IDLE_MAX);
  const columns: Column<UsageRow>[] = [
    { key: "who", title: t("grouping.user"), cell: subject },
    {
      key: "idle",
      title: t("total.idle"),
      isShort: true,
      cell: ({ idle_milli_s }) => (
        <span className="num">{formatHours(idle_milli_s, language)}</span>
      ),
    },
    {
      key: "part",
      title: t("idle.part"),
      isShort: true,
      cell: ({ idle_milli_s, sampled_milli_s }) => (
        <span className="num">
          {formatNumber((100 * idle_milli_s) / sampled_milli_s, language, 0)} %
        </span>
      ),
    },
    {
      key: "cost",
      title: t("idle.cost"),
      isShort: true,
      cell: ({ idle_costs }) => <span className="num">{money(idle_costs)}</span>,
    },
  ];
  return (
    <DataTable
      label={t("idle.title")}
      columns={columns}
      rows={idle}
      rowKey={({ key }) => key}
      empty={<p>{t("idle.empty")}</p>}
    />
  );
}
