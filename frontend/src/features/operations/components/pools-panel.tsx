/** The whole cluster as strips coloured by use, pool by pool, with the numbers that they add up to. */
import { Link } from "@tanstack/react-router";
import type { Waits } from "@/shared/api/types";
import { PoolStrips } from "@/shared/cluster/components/berth-strip";
import { formatGpus, formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import { SimulatedBadge } from "@/shared/workload/components/tags";
import { useCardUse } from "../api/operations";
import { type PoolFigures, reasonsIn } from "../model/operations";
import styles from "./operations.module.css";

interface PoolsPanelProps {
  pools: readonly PoolFigures[];
  /** Of the board that the cards are of. */
  order: string | undefined;
  waits: Waits;
}

export function PoolsPanel({ pools, order, waits }: PoolsPanelProps) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const heatOf = useCardUse(order);
  const numbers = useNumberColumns();
  return (
    <Panel title={t("pools.title")} extra={<span className="second">{t("pools.about")}</span>}>
      <DataTable<PoolFigures>
        label={t("pools.title")}
        rows={pools}
        rowKey={({ pool }) => pool.id}
        columns={[
          {
            key: "pool",
            title: t("column.pool"),
            cell: ({ pool, is_simulated, cards }) => (
              <div className={cards ? styles.strips : undefined}>
                <Link to="/nodes/map" search={{ pool: pool.name }}>
                  {titleOf(pool, language)}
                </Link>{" "}
                {is_simulated && <SimulatedBadge />}
                {cards && <PoolStrips cards={cards} heatOf={heatOf} />}
              </div>
            ),
          },
          ...numbers,
          {
            key: "why",
            title: t("column.why"),
            cell: (row) => <WhyFree row={row} waits={waits} />,
          },
        ]}
      />
    </Panel>
  );
}

interface CardsLinkProps {
  row: PoolFigures;
  state: "held" | "idle" | "free" | "out" | "lost";
  children: string;
}

/** Leads to the cards behind a number. */
function CardsLink({ row: { pool }, state, children }: CardsLinkProps) {
  return (
    <Link to="/nodes/map" search={{ pool: pool.name, state }} className="num">
      {children}
    </Link>
  );
}

function useNumberColumns(): Column<PoolFigures>[] {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const count = (value: number) => formatNumber(value, language);
  return [
    {
      key: "total",
      isShort: true,
      title: t("column.gpus"),
      cell: ({ gpus_total }) => <span className="num">{count(gpus_total)}</span>,
    },
    {
      key: "held",
      isShort: true,
      title: t("column.held"),
      cell: (row) => <CardsLink {...{ row, state: "held" }}>{count(row.gpus_held)}</CardsLink>,
    },
    {
      key: "idle",
      isShort: true,
      title: t("column.idle"),
      cell: (row) => (
        <CardsLink {...{ row, state: "idle" }}>{formatGpus(row.idle_milli, language)}</CardsLink>
      ),
    },
    {
      key: "free",
      isShort: true,
      title: t("column.free"),
      cell: (row) => (
        <>
          <CardsLink {...{ row, state: "free" }}>{count(row.gpus_free)}</CardsLink>
          {row.slices_total > 0 && (
            <span className="second num">
              {t("pools.slices", { free: count(row.slices_free), total: count(row.slices_total) })}
            </span>
          )}
        </>
      ),
    },
    {
      key: "out",
      isShort: true,
      title: t("column.out"),
      cell: (row) => (
        <>
          <CardsLink {...{ row, state: "out" }}>{count(row.gpus_out)}</CardsLink>
          {row.gpus_lost > 0 && (
            <span className="second num">
              <CardsLink {...{ row, state: "lost" }}>
                {t("pools.lost", { count: row.gpus_lost })}
              </CardsLink>
            </span>
          )}
        </>
      ),
    },
    {
      key: "waiting",
      isShort: true,
      title: t("column.waiting"),
      cell: ({ pool, waiting }) => (
        <Link to="/queue" search={{ pool: pool.name }} className="num">
          {count(waiting)}
        </Link>
      ),
    },
  ];
}

/** Why what is free is not used, although something waits. */
function WhyFree({ row, waits }: { row: PoolFigures; waits: Waits }) {
  const { t } = useTranslation(["operations", "queue"]);
  const language = useLanguage();
  const coded = useCodedText();
  const reasons = reasonsIn(row, waits.by_reason);
  if (reasons.length === 0) {
    const isFull = row.gpus_free === 0 && row.slices_free === 0;
    return isFull ? "–" : <span className="quiet">{t("pools.unwanted")}</span>;
  }
  return reasons.map(({ code, count }) => (
    <div key={code}>
      <Link to="/queue" search={{ pool: row.pool.name, ...(code && { reason: code }) }}>
        {formatNumber(count, language)} × {coded(`queue:why.${code || "new"}`) ?? code}
      </Link>
    </div>
  ));
}
