import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { useClusterUpdates, useNodes, usePools } from "@/shared/cluster/api/cluster";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { PoolDialog } from "./pool-dialog";
import { PoolPanel } from "./pool-panel";

/** Every pool: how it gives its cards away, which nodes are in it; operators make and change them. */
export function PoolsPage() {
  const { t } = useTranslation("pools");
  const isManager = isOperator(useMe());
  const [edited, setEdited] = useState<Pool | "new" | null>(null);
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
        <PoolDialog pool={edited === "new" ? undefined : edited} onClose={() => setEdited(null)} />
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
  const pools = usePools();
  const nodes = useNodes();
  if (pools.isPending || nodes.isPending) return <Loading rows={8} />;
  if (!pools.data || !nodes.data) return <ProblemAlert error={pools.error ?? nodes.error} />;
  if (pools.data.length === 0) {
    return <EmptyState title={t("noPools.title")} text={t("noPools.text")} />;
  }
  return (
    <div className="stack">
      {pools.data.map((pool) => (
        <PoolPanel
          key={pool.id}
          pool={pool}
          others={pools.data.filter(({ id }) => id !== pool.id)}
          nodes={nodes.data.filter((node) => node.pool.id === pool.id)}
          isManager={isManager}
          onEdit={() => onEdit(pool)}
        />
      ))}
    </div>
  );
}
