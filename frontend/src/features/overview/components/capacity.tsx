import { useTranslation } from "react-i18next";
import type { Node, Pool } from "@/shared/api/types";
import { usePools } from "@/shared/cluster/api/cluster";
import { useNodes } from "@/shared/cluster/api/nodes";
import { BerthLegend, BerthStrip } from "@/shared/cluster/components/berth-strip";
import { formatMemory } from "@/shared/i18n/format";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { SimulatedBadge } from "@/shared/workload/components/tags";
import styles from "./overview.module.css";

/** What every pool has free now. */
export function Capacity() {
  const [pools, nodes] = [usePools(), useNodes()];
  return (
    <QueryBoundary query={{ ...pools, isPending: pools.isPending || nodes.isPending }} rows={5}>
      {(pools) => (
        <div className="stack">
          <div className={styles.pools}>
            {pools.map((pool) => (
              <PoolCapacity
                key={pool.id}
                pool={pool}
                nodes={(nodes.data ?? []).filter((node) => node.pool.id === pool.id)}
              />
            ))}
          </div>
          <BerthLegend />
        </div>
      )}
    </QueryBoundary>
  );
}

/** What is free in one pool now, card by card. */
function PoolCapacity({ pool, nodes }: { pool: Pool; nodes: readonly Node[] }) {
  const { t } = useTranslation(["overview", "cluster"]);
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
      <div className={styles.strips}>
        {nodes.flatMap(({ name, accelerators }) =>
          accelerators.map((card) => (
            <BerthStrip
              key={card.id}
              card={card}
              name={`${name}, ${t("cluster:card", { index: card.index })}`}
            />
          )),
        )}
      </div>
    </Panel>
  );
}
