import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { UsageRow } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { formatMoney } from "@/shared/i18n/money";
import { useMe } from "@/shared/session/me";
import { type Column, DataTable } from "@/shared/ui/data-table";
import type { Grouping, UsageSearch } from "../model/search";
import { energyOf, gpuHours, meanUse, seesOthers, type UsageQuery } from "../model/usage";

interface UsageTableProps {
  rows: readonly UsageRow[];
  by: Grouping;
  query: UsageQuery;
}

/** One line for each subject; a group leads to what is below it, a person to the models. */
export function UsageTable({ rows, by, query }: UsageTableProps) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const money = useMoney();
  const hours = (amount: number) => formatNumber(gpuHours(amount), language, 1);
  const columns: Column<UsageRow>[] = [
    {
      key: "subject",
      title: t(`grouping.${by}`),
      cell: (row) => <SubjectLink row={row} by={by} query={query} />,
    },
    {
      key: "hours",
      title: t("total.hours"),
      isShort: true,
      cell: ({ gpu_milli_s }) => <span className="num">{hours(gpu_milli_s)}</span>,
    },
    {
      key: "use",
      title: t("total.use"),
      isShort: true,
      cell: (row) => <span className="num">{percent(meanUse(row), language)}</span>,
    },
    {
      key: "idle",
      title: t("total.idle"),
      isShort: true,
      cell: ({ idle_milli_s, sampled_milli_s }) => (
        <span className="num">{sampled_milli_s > 0 ? hours(idle_milli_s) : "–"}</span>
      ),
    },
    {
      key: "memory",
      title: t("memory"),
      isShort: true,
      cell: ({ gpu_memory_mib_s }) => (
        <span className="num">{formatNumber(gpu_memory_mib_s / 1024 / 3600, language, 0)}</span>
      ),
    },
    {
      key: "cpu",
      title: t("total.cpu"),
      isShort: true,
      cell: ({ cpu_milli_s }) => <span className="num">{hours(cpu_milli_s)}</span>,
    },
    {
      key: "energy",
      title: t("energy.column"),
      isShort: true,
      cell: (row) => <Measured row={row} name="kwh" />,
    },
    {
      key: "carbon",
      title: t("energy.carbonColumn"),
      isShort: true,
      cell: (row) => <Measured row={row} name="kg" />,
    },
    {
      key: "cost",
      title: t("total.cost"),
      isShort: true,
      cell: ({ costs }) => <span className="num">{money(costs)}</span>,
    },
  ];
  return (
    <DataTable label={t("table")} columns={columns} rows={rows} rowKey={(row) => row.key || "-"} />
  );
}

interface MeasuredProps {
  row: UsageRow;
  name: "kwh" | "kg";
}

/** What was measured; unknown is told apart from nothing, and from work that held no GPU. */
function Measured({ row, name }: MeasuredProps) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const { [name]: amount, kwh } = energyOf(row);
  if (amount !== null) return <span className="num">{formatNumber(amount, language, 2)}</span>;
  if (kwh !== null || row.gpu_milli_s === 0) return <span className="num">–</span>;
  return <span className="quiet">{t("energy.notMeasured")}</span>;
}

interface SubjectLinkProps {
  row: UsageRow;
  by: Grouping;
  query: UsageQuery;
}

function SubjectLink({ row, by, query }: SubjectLinkProps) {
  const subject = useSubject(by);
  const me = useMe();
  const title = subject(row);
  const isGroup = by === "group" && (row.key !== query.group || row.has_subgroups);
  if (!isGroup && !(by === "user" && seesOthers(me))) return title;
  const below: UsageSearch = isGroup
    ? { group: row.key, by: row.has_subgroups ? "group" : "user" }
    : { user: row.key, by: "model", ...(query.group && { group: query.group }) };
  return (
    <Link to="/usage" search={({ period }) => ({ ...(period && { period }), ...below })}>
      {title}
    </Link>
  );
}

/** What a row is called: titles of the server, our words for its codes. */
export function useSubject(by: Grouping): (row: UsageRow) => string {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  return ({ key, title_en, title_zh }) => {
    if (key === "other") return t("others");
    if (key === "") return t("noGpu");
    if (by === "kind") return t(`kind.${key as "environment"}`);
    if (by === "outcome") return t(`outcome.${key as "running"}`);
    return language === "zh-CN" ? title_zh : title_en;
  };
}

/** Amounts of money, each in its currency; a dash where there is none. */
export function useMoney(): (amounts: readonly { currency: string; amount: string }[]) => string {
  const language = useLanguage();
  return (amounts) =>
    amounts
      .map(({ currency, amount }) => formatMoney(Number(amount), currency, language))
      .join(" + ") || "–";
}

function percent(value: number | null, language: string): string {
  return value === null ? "–" : `${formatNumber(value, language, 0)} %`;
}
