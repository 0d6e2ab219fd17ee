import { Button } from "antd";
import { useState } from "react";
import type { Node, Pool } from "@/shared/api/types";
import { usePools } from "@/shared/cluster/api/cluster";
import { useClusterUpdates, useNodes } from "@/shared/cluster/api/nodes";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { asSavedNow, later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { bothOf, EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { PoolPanel } from "./pool-panel";

const LaterPoolDialog = later(async () => (await import("./pool-dialog")).PoolDialog);

/** Every pool: how its cards are shared and which nodes it has; operators create and change them. */
export function PoolsPage() {
  const { t } = useTranslation("pools");
  const isManager = isOperator(useMe());
  const [edited, setEdited] = useState<Pool | "new" | null>(null);
  const pools = usePools().data;
  useClusterUpdates();
  const create = (
    <Button type="primary" onClick={() => setEdited("new")}>
      {t("create")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={isManager && create} />
      <PoolList isManager={isManager} onEdit={setEdited} />
      {edited && (
        <LaterPoolDialog pool={asSavedNow(edited, pools)} onClose={() => setEdited(null)} />
      )}
    </>
  );
}

interface PoolListProps {
  isManager: boolean;
  onEdit: (pool: Pool) => void;
}

function PoolList({ isManager, onEdit }: PoolListProps) {
  const { t } = useTranslation("cluster");
  const panelsOf = (pools: readonly Pool[], nodes: readonly Node[]) =>
    pools.map((pool) => (
      <PoolPanel
        key={pool.id}
        pool={pool}
        others={pools.filter(({ id }) => id !== pool.id)}
        nodes={nodes.filter((node) => node.pool.id === pool.id)}
        isManager={isManager}
        onEdit={() => onEdit(pool)}
      />
    ));
  return (
    <QueryBoundary query={bothOf(usePools(), useNodes())} rows={8} canRetry={false}>
      {([pools, nodes]) =>
        pools.length === 0 ? (
          <EmptyState title={t("noPools.title")} text={t("noPools.text")} />
        ) : (
          <div className="stack">{panelsOf(pools, nodes)}</div>
        )
      }
    </QueryBoundary>
  );
}
