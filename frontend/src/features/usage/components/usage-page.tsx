import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "antd";
import type { UsageReport } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { formatMoment } from "@/shared/i18n/format";
import { titleIn, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isStaff } from "@/shared/session/roles";
import { NativeSelect } from "@/shared/ui/controls";
import { PageHeader, Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { useSiteToday, useUsage } from "../api/usage";
import {
  GROUPINGS,
  type Grouping,
  readUsageSearch,
  USAGE_PERIODS,
  type UsagePeriod,
  type UsageSearch,
} from "../model/search";
import {
  daysOf,
  fileAddress,
  firstGrouping,
  seesOthers,
  stepOf,
  type UsageQuery,
} from "../model/usage";
import { ClusterWeeks } from "./cluster-weeks";
import { IdlePanel, ReportPanel, WaitsPanel } from "./panels";
import styles from "./usage.module.css";
import { UsageCalendarPanel, UsageChart } from "./usage-chart";
import { Totals, UsageTable } from "./usage-table";

const SHOWN_MAX = 7;

/** Who held how many GPUs, for how long, how well, and at what cost. */
export function UsagePage() {
  const { t } = useTranslation("usage");
  const me = useMe();
  const search = readUsageSearch(useSearch({ strict: false }));
  const { period = "month", group, user } = search;
  const by = search.by ?? firstGrouping(me, search);
  const query: UsageQuery = {
    ...daysOf(period, useSiteToday()),
    group_by: by,
    ...(group && { group }),
    ...(user && { user }),
  };
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={<CsvLink query={query} />} />
      <Filters search={{ ...search, period, by }} />
      <div className="stack">
        <QueryBoundary query={useUsage(query)} rows={8}>
          {(report) => <Figures report={report} query={query} />}
        </QueryBoundary>
        <UsageCalendarPanel {...(group && { group })} {...(user && { user })} />
        <div className="with-aside">
          <WaitsPanel query={query} />
          <ReportPanel group={group} />
        </div>
        {seesOthers(me) && <IdlePanel query={query} />}
        {isStaff(me) && <ClusterWeeks />}
      </div>
    </>
  );
}

function CsvLink({ query }: { query: UsageQuery }) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  return (
    <Button href={fileAddress("/api/v1/usage", { ...query, language, format: "csv" })} download>
      {t("csv")}
    </Button>
  );
}

/** What is shown; the address remembers it. */
function Filters({ search }: { search: UsageSearch & { period: UsagePeriod; by: Grouping } }) {
  const { t } = useTranslation("usage");
  const navigate = useNavigate();
  const change = (changed: UsageSearch) =>
    void navigate({ to: "/usage", search: { ...search, ...changed } });
  return (
    <div className={styles.filters}>
      <NativeSelect
        label={t("period")}
        value={search.period}
        options={USAGE_PERIODS.map((value) => ({ value, label: t(`periods.${value}`) }))}
        onChoose={(period) => change({ period })}
      />
      <NativeSelect
        label={t("by")}
        value={search.by}
        options={GROUPINGS.map((value) => ({ value, label: t(`grouping.${value}`) }))}
        onChoose={(by) => change({ by })}
      />
      <Trail search={search} />
    </div>
  );
}

/** Whose use is shown, with a way back. */
function Trail({ search: { group, user, period } }: { search: UsageSearch }) {
  const language = useLanguage();
  const { t } = useTranslation("usage");
  const groups = useGroups(group !== undefined);
  const person = useUsage(
    { ...daysOf(period ?? "month", useSiteToday()), group_by: "user", ...(user && { user }) },
    user !== undefined,
  );
  if (!group && !user) return null;
  const title = titleIn(groups.data, group, language) ?? t("grouping.group");
  const kept = period ? { period } : {};
  return (
    <nav aria-label={t("shown")} className={styles.trail}>
      <Link to="/usage" search={kept}>
        {t("everything")}
      </Link>
      {group && (
        <>
          {" / "}
          {user ? (
            <Link to="/usage" search={{ ...kept, group }}>
              {title}
            </Link>
          ) : (
            <b>{title}</b>
          )}
        </>
      )}
      {user && (
        <>
          {" / "}
          <b>{person.data?.rows[0]?.title_en ?? t("grouping.user")}</b>
        </>
      )}
    </nav>
  );
}

function Figures({ report, query }: { report: UsageReport; query: UsageQuery }) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  if (report.rows.length === 0) {
    return (
      <Panel title={t("held")}>
        <EmptyState
          title={t("empty.title")}
          text={t(report.as_of === null ? "empty.notCounted" : "empty.text")}
        />
      </Panel>
    );
  }
  return (
    <>
      <Totals total={report.total} />
      <Panel
        title={t("held")}
        extra={
          report.as_of && (
            <span className="quiet">
              {t("asOf", { moment: formatMoment(new Date(report.as_of), language) })}
            </span>
          )
        }
      >
        <div className="stack">
          <History query={query} />
          <UsageTable rows={report.rows} by={query.group_by ?? "group"} query={query} />
        </div>
      </Panel>
    </>
  );
}

/** The chart asks for itself: by step, and only the largest subjects. */
function History({ query }: { query: UsageQuery }) {
  const history = useUsage({ ...query, granularity: stepOf(query), top: SHOWN_MAX });
  return (
    <QueryBoundary query={history} rows={4}>
      {({ rows }) => <UsageChart rows={rows} query={query} by={query.group_by ?? "group"} />}
    </QueryBoundary>
  );
}
