import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { WorkKind } from "@/shared/api/kinds.gen";
import type { UsageRow } from "@/shared/api/types";
import { formatMoney, formatNumber, formatSome } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { type Column, DataTable } from "@/shared/ui/data-table";
import type { Grouping, UsageSearch } from "../model/search";
import {
  energyOf,
  formatHours,
  GPU_HOUR,
  heldInVain,
  meanUse,
  seesOthers,
  type UsageQuery,
} from "../model/usage";
import styles from "./usage.module.css";

interface UsageTableProps {
  rows: readonly UsageRow[];
  by: Grouping;
  query: UsageQuery;
  label?: string;
  /** Also the hours in which GPUs were used. */
  isInFull?: boolean;
  /** What a row is called, where it does not lead to the page of usage. */
  subject?: (row: UsageRow) => ReactNode;
}

/** One line for each subject; a group leads to what is below it, a person to the models. */
export function UsageTable({ rows, by, query, label, isInFull, subject }: UsageTableProps) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const money = useMoney();
  const hours = (amount: number) => formatHours(amount, language);
  const used: Column<UsageRow> = {
    key: "used",
    title: t("report.usedColumn"),
    isShort: true,
    cell: ({ busy_milli_s, sampled_milli_s }) => (
      <span className="num">{sampled_milli_s > 0 ? hours(busy_milli_s) : "–"}</span>
    ),
  };
  const columns: Column<UsageRow>[] = [
    {
      key: "subject",
      title: t(`grouping.${by}`),
      cell: subject ?? ((row) => <SubjectLink row={row} by={by} query={query} />),
    },
    {
      key: "hours",
      title: t("total.hours"),
      isShort: true,
      cell: ({ gpu_milli_s }) => <span className="num">{hours(gpu_milli_s)}</span>,
    },
    ...(isInFull ? [used] : []),
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
        <span className="num">{formatSome(gpu_memory_mib_s / 1024 / 3600, language, 0)}</span>
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
    <DataTable
      label={label ?? t("table")}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.key || "-"}
    />
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
  if (amount !== null) return <span className="num">{formatSome(amount, language, 2)}</span>;
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

interface TotalsProps {
  total: UsageRow;
  /** The same by how work ended: adds what was held in vain. */
  outcomes?: readonly UsageRow[];
}

/** What was held in all, how well, and at what cost. */
export function Totals({ total, outcomes }: TotalsProps) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const money = useMoney();
  const hours = (amount: number) => formatHours(amount, language);
  const use = meanUse(total);
  const unknown = total.gpu_milli_s - total.sampled_milli_s;
  const number = (amount: number) => formatSome(amount, language, 2);
  const { kwh, kg } = energyOf(total);
  const unmeasured = total.gpu_milli_s - total.measured_milli_s;
  const aboutEnergy = [
    kg !== null && t("energy.carbon", { kg: number(kg) }),
    kwh !== null && unmeasured >= GPU_HOUR && t("energy.part", { hours: hours(unmeasured) }),
  ].filter(Boolean);
  const vain = (rows: readonly UsageRow[]) => {
    const { preempted, lost } = heldInVain(rows);
    const parts = t("report.vainParts", { preempted: hours(preempted), lost: hours(lost) });
    return ["vain", hours(preempted + lost), parts] as const;
  };
  const figures = [
    ["hours", hours(total.gpu_milli_s), t("fractions", { hours: hours(total.fraction_milli_s) })],
    ["cost", money(total.costs), total.costs.length === 0 ? t("noPrice") : ""],
    [
      "use",
      use === null ? "–" : `${formatNumber(use, language, 0)} %`,
      [
        outcomes && use !== null && t("report.used", { hours: hours(total.busy_milli_s) }),
        t("unknown", { hours: hours(unknown) }),
      ]
        .filter(Boolean)
        .join("; "),
    ],
    [
      "idle",
      total.sampled_milli_s > 0 ? hours(total.idle_milli_s) : "–",
      total.idle_costs.length > 0 ? money(total.idle_costs) : "",
    ],
    [
      "energy",
      kwh === null ? "–" : `${number(kwh)} kWh`,
      kwh === null ? t("energy.notMeasured") : aboutEnergy.join("; "),
    ],
    ...(outcomes ? [vain(outcomes)] : []),
    ["cpu", hours(total.cpu_milli_s), t("coreHours")],
  ] as const;
  return (
    <dl className={styles.totals}>
      {figures.map(([name, value, about]) => (
        <div key={name}>
          <dt>{t(`total.${name}`)}</dt>
          <dd className="num">{value}</dd>
          <dd className="second">{about}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What a row is called: titles of the server, our words for its codes. */
export function useSubject(by: Grouping): (row: UsageRow) => string {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  return ({ key, title_en, title_zh }) => {
    if (key === "other") return t("others");
    if (key === "") return t("noGpu");
    if (by === "kind") return t(`kind.${key as WorkKind}`);
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
