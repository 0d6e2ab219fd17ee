import type { Node, Pool } from "@/shared/api/types";
import { usePools } from "@/shared/cluster/api/cluster";
import { useNodesForStrips } from "@/shared/cluster/api/nodes";
import { BerthLegend, BerthStrip } from "@/shared/cluster/components/berth-strip";
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
  const { hasStrips, nodes } = useNodesForStrips();
  const isPending = pools.isPending || (hasStrips && nodes.isPending);
  return (
    <QueryBoundary query={{ ...pools, isPending }} rows={5}>
      {(pools) => (
        <div className="stack">
          <div className={styles.pools}>
            {pools.map((pool) => (
              <PoolCapacity
                key={pool.id}
                pool={pool}
                nodes={
                  hasStrips ? (nodes.data ?? []).filter(({ pool: { id } }) => id === pool.id) : null
                }
              />
            ))}
          </div>
          {hasStrips && <BerthLegend />}
        </div>
      )}
    </QueryBoundary>
  );
}

interface PoolCapacityProps {
  pool: Pool;
  /** Null where there are too many to show each card. */
  nodes: readonly Node[] | null;
}

/** What is free in one pool now, card by card. */
function PoolCapacity({ pool, nodes }: PoolCapacityProps) {
  const { t } = useTranslation("overview");
  const language = useLanguage();
  const { capacity, mode, slice_mib } = pool;
  const isShared = mode === "shared";
  return (
    <Panel title={titleOf(pool, language)} extra={capacity.is_simulated && <SimulatedBadge />}>
      <div className={`num ${styles.free}`}>
        <strong>{isShared ? capacity.slices_free : capacity.gpus_free}</strong>
        <span>
          {isShared
            ? t("pool.slicesFree", {
                total: capacity.slices_total,
                size: formatMemory(slice_mib, language),
              })
            : t("pool.gpusFree", { total: capacity.gpus_total })}
        </span>
      </div>
      <p className={styles.hint}>
        {isShared
          ? t("pool.largestSlices", { count: capacity.largest_free })
          : t("pool.largestGpus", { count: capacity.largest_free })}
        {" · "}
        {t("pool.waiting", { count: capacity.waiting })}
      </p>
      {nodes ? <Strips nodes={nodes} /> : <Taken pool={pool} />}
    </Panel>
  );
}

function Strips({ nodes }: { nodes: readonly Node[] }) {
  const { t } = useTranslation("cluster");
  return (
    <div className={styles.strips}>
      {nodes.flatMap(({ name, state, accelerators }) =>
        accelerators.map((card) => (
          <BerthStrip
            key={card.id}
            card={card}
            node={state}
            name={`${name}, ${t("card", { index: card.index })}`}
          />
        )),
      )}
    </div>
  );
}

function Taken({ pool: { capacity, mode } }: { pool: Pool }) {
  const { t } = useTranslation("overview");
  const language = useLanguage();
  const [total, free] =
    mode === "shared"
      ? [capacity.slices_total, capacity.slices_free]
      : [capacity.gpus_total, capacity.gpus_free];
  const amount = [total - free, total].map((value) => formatNumber(value, language)).join(" / ");
  return <Meter label={t("pool.taken")} amount={amount} used={total - free} limit={total} />;
}
