import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "antd";
import type { MonthReport, UsageRow } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { formatMoment } from "@/shared/i18n/format";
import { titleIn, titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isGroupAdmin, isStaff } from "@/shared/session/roles";
import { NativeSelect } from "@/shared/ui/controls";
import { PageHeader, Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { useReport, useSiteToday } from "../api/usage";
import { type Grouping, readReportSearch } from "../model/search";
import { reportFile, reportMonths, seesOthers, type UsageQuery } from "../model/usage";
import { useMonthName, WaitsTable } from "./panels";
import styles from "./usage.module.css";
import { Totals, UsageTable, useSubject } from "./usage-table";

const MONTHS_BACK = 36;
const SECTIONS = ["group", "user", "pool", "model", "kind", "outcome"] as const;

interface AskedReport {
  month: string;
  group: string | undefined;
}

/** A month in full, as its files have it: who held what, how well, at what cost, and how work waited. */
export function ReportPage() {
  const { t } = useTranslation("usage");
  const months = reportMonths(useSiteToday(), MONTHS_BACK);
  const search = readReportSearch(useSearch({ strict: false }));
  const asked = { month: search.month ?? months[0] ?? "", group: search.group };
  const named = useMonthName();
  const report = useReport(asked.month, asked.group);
  return (
    <div className={styles.report}>
      <PageHeader
        title={t("report.of", { month: named(asked.month) })}
        about={<About report={report.data} group={asked.group} />}
        actions={<Files {...asked} />}
      />
      <ReportFilters {...asked} months={months} />
      <QueryBoundary query={report} rows={8}>
        {(found) => <Sections report={found} asked={asked} />}
      </QueryBoundary>
    </div>
  );
}

/** Whose use it is, and whether the month is over. */
function About({ report, group }: { report: MonthReport | undefined; group: string | undefined }) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const me = useMe();
  const groups = useGroups(group !== undefined);
  const role = isStaff(me) ? "staff" : isGroupAdmin(me) ? "head" : "own";
  const whose = group && titleIn(groups.data, group, language);
  const moment = report?.as_of ? formatMoment(new Date(report.as_of), language) : "–";
  return (
    <>
      {whose && seesOthers(me) ? whose : t(`report.whose.${role}`)}
      {report && <> · {t(report.is_closed ? "report.closed" : "report.open", { moment })}</>}
    </>
  );
}

function Files({ month, group }: AskedReport) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  return (
    <>
      {(["pdf", "csv"] as const).map((format) => (
        <Button key={format} href={reportFile({ month, group, language, format })} download>
          {format.toUpperCase()}
        </Button>
      ))}
      <Button onClick={() => window.print()}>{t("report.print")}</Button>
    </>
  );
}

/** Which month, and for those who see others also whose; the address remembers it. */
function ReportFilters({ month, group, months }: AskedReport & { months: readonly string[] }) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const me = useMe();
  const navigate = useNavigate();
  const named = useMonthName();
  const groups = useGroups(seesOthers(me)).data ?? [];
  const known = months.includes(month) ? months : [...months, month];
  const show = (changed: Partial<AskedReport>) => {
    const next = { month, group, ...changed };
    void navigate({
      to: "/usage/report",
      search: { month: next.month, ...(next.group && { group: next.group }) },
    });
  };
  return (
    <div className={styles.filters}>
      <NativeSelect
        label={t("report.month")}
        value={month}
        options={known.map((value) => ({ value, label: named(value) }))}
        onChoose={(next) => show({ month: next })}
      />
      {seesOthers(me) && (
        <NativeSelect
          label={t("grouping.group")}
          value={group ?? ""}
          options={[{ value: "", label: t("everything") }, ...titleOptions(groups, language)]}
          onChoose={(next) => show({ group: next || undefined })}
        />
      )}
      <Link to="/usage" search={group ? { group } : {}}>
        {t("title")}
      </Link>
    </div>
  );
}

function Sections({ report, asked }: { report: MonthReport; asked: AskedReport }) {
  const { t } = useTranslation("usage");
  const { total, sections, waits, first_day, last_day } = report;
  if (sections.model.length === 0 && waits.length === 0) {
    const why = report.as_of === null ? "empty.notCounted" : "report.emptyText";
    return <EmptyState title={t("empty.title")} text={t(why)} />;
  }
  const query = { first_day, last_day, ...(asked.group && { group: asked.group }) };
  return (
    <div className="stack">
      <Totals total={total} outcomes={sections.outcome} />
      {SECTIONS.map((by) => (
        <Section key={by} by={by} rows={sections[by]} query={query} month={asked.month} />
      ))}
      <Panel title={t("waits.title")}>
        <WaitsTable rows={waits} />
      </Panel>
      <p className="quiet note">{t("report.how")}</p>
    </div>
  );
}

interface SectionProps {
  by: Grouping;
  rows: readonly UsageRow[];
  query: UsageQuery;
  month: string;
}

function Section({ by, rows, query, month }: SectionProps) {
  const { t } = useTranslation("usage");
  const subject = useSubject(by);
  const title = t(`report.by.${by}`);
  if (rows.length === 0) return null;
  return (
    <Panel title={title}>
      <UsageTable
        label={title}
        rows={rows}
        by={by}
        query={query}
        isInFull
        subject={(row) =>
          by === "group" && row.key !== query.group ? (
            <Link to="/usage/report" search={{ month, group: row.key }}>
              {subject(row)}
            </Link>
          ) : (
            subject(row)
          )
        }
      />
    </Panel>
  );
}
