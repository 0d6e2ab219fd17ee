import { useNodes, usePools } from "@/shared/cluster/api/cluster";
import { BerthLegend } from "@/shared/cluster/components/berth-strip";
import { Loading, ProblemAlert } from "@/shared/ui/query-states";
import styles from "./overview.module.css";
import { PoolPanel } from "./pool-panel";

/** What every pool has free now. */
export function Capacity() {
  const pools = usePools();
  const nodes = useNodes().data ?? [];
  if (pools.isPending) return <Loading rows={5} />;
  if (!pools.data) return <ProblemAlert error={pools.error} onRetry={() => void pools.refetch()} />;
  return (
    <div className="stack">
      <div className={styles.pools}>
        {pools.data.map((pool) => (
          <PoolPanel
            key={pool.id}
            pool={pool}
            nodes={nodes.filter((node) => node.pool.id === pool.id)}
          />
        ))}
      </div>
      <BerthLegend />
    </div>
  );
}
