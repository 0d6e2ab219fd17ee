import type { Pool } from "@/shared/api/types";
import { usePools } from "@/shared/cluster/api/cluster";
import { useBoard } from "@/shared/cluster/api/nodes";
import { BerthLegend, looksWith, PoolStrips } from "@/shared/cluster/components/berth-strip";
import { countCards, type PoolBoard, type PoolCount } from "@/shared/cluster/model/board";
import { unheldUse } from "@/shared/cluster/model/cells";
import { formatMemory, formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { Meter } from "@/shared/ui/meter";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { SimulatedBadge } from "@/shared/workload/components/tags";
import styles from "./overview.module.css";

/** What every pool has free now. */
export function Capacity() {
  const pools = usePools();
  const { hasStrips, board } = useBoard();
  const isPending = pools.isPending || (hasStrips && board.isPending);
  return (
    <QueryBoundary query={{ ...pools, isPending }} rows={5}>
      {(pools) => (
        <div className="stack">
          <div className={styles.pools}>
            {pools.map((pool) => (
              <PoolCapacity
                key={pool.id}
                pool={pool}
                board={(hasStrips && board.data?.pools.find(({ id }) => id === pool.id)) || null}
              />
            ))}
          </div>
          {hasStrips && <BerthLegend uses={looksWith(usesOn(board.data?.pools ?? []))} />}
        </div>
      )}
    </QueryBoundary>
  );
}

function usesOn(boards: readonly PoolBoard[]) {
  return boards.flatMap(({ cards }) =>
    cards.map(({ state, node }) => unheldUse(state, node.state)),
  );
}

interface PoolCapacityProps {
  pool: Pool;
  /** Null where there are too many cards to show each. */
  board: PoolBoard | null;
}

/** What is free in one pool now, card by card; its numbers are counted from the cells that are drawn. */
function PoolCapacity({ pool, board }: PoolCapacityProps) {
  const { t } = useTranslation("overview");
  const language = useLanguage();
  const { capacity, slice_mib } = pool;
  const { isCut, total, free, largest, lost } = board ? countCards(board.cards) : countPool(pool);
  return (
    <Panel title={titleOf(pool, language)} extra={capacity.is_simulated && <SimulatedBadge />}>
      <div className={`num ${styles.free}`}>
        <strong>{formatNumber(free, language)}</strong>
        <span>
          {isCut
            ? t("pool.slicesFree", { total, size: formatMemory(slice_mib, language) })
            : t("pool.gpusFree", { total })}
        </span>
      </div>
      <p className={styles.hint}>
        {[
          isCut
            ? t("pool.largestSlices", { count: largest })
            : t("pool.largestGpus", { count: largest }),
          t("pool.waiting", { count: board?.waiting ?? capacity.waiting }),
          lost > 0 && t("pool.lost", { count: lost }),
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {board ? <PoolStrips cards={board.cards} /> : <Taken total={total} free={free} />}
    </Panel>
  );
}

/** The same of a pool of thousands, as the server has counted it. */
function countPool({ mode, capacity }: Pool): PoolCount {
  const isCut = mode === "shared" && capacity.slices_total > 0;
  return {
    isCut,
    total: isCut ? capacity.slices_total : capacity.gpus_total,
    free: isCut ? capacity.slices_free : capacity.gpus_free,
    largest: capacity.largest_free,
    lost: capacity.gpus_lost,
  };
}

function Taken({ total, free }: Pick<PoolCount, "total" | "free">) {
  const { t } = useTranslation("overview");
  const language = useLanguage();
  const amount = [total - free, total].map((value) => formatNumber(value, language)).join(" / ");
  return <Meter label={t("pool.taken")} amount={amount} used={total - free} limit={total} />;
}
