import { Link } from "@tanstack/react-router";
import { Button } from "antd";
import { useState } from "react";
import type { Node, Pool } from "@/shared/api/types";
import { BerthStrip } from "@/shared/cluster/components/berth-strip";
import { NodeStateTag } from "@/shared/cluster/components/node-state-tag";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { later } from "@/shared/ui/opening";
import styles from "./pools.module.css";

const LaterMoveNode = later(async () => (await import("./move-node-dialog")).MoveNodeDialog);

interface NodeTableProps {
  pool: Pool;
  others: readonly Pool[];
  nodes: readonly Node[];
  isManager: boolean;
}

/** The nodes of a pool with their cards, and the way of a node into another pool. */
export function NodeTable({ pool, others, nodes, isManager }: NodeTableProps) {
  const { t } = useTranslation(["pools", "cluster"]);
  const language = useLanguage();
  const columns: ListColumn<Node>[] = [
    {
      key: "name",
      title: t("column.node"),
      value: ({ name }) => name,
      cell: ({ id, name }) => (
        <Link to="/nodes/$id" params={{ id }}>
          {name}
        </Link>
      ),
    },
    {
      key: "state",
      title: t("column.state"),
      value: ({ state }) => state,
      cell: ({ state }) => <NodeStateTag state={state} />,
    },
    {
      key: "cards",
      title: t("column.cards"),
      value: ({ accelerators }) => accelerators.length,
      cell: ({ state, accelerators }) => (
        <div className={styles.strips}>
          {accelerators.map((card) => (
            <BerthStrip
              key={card.id}
              card={card}
              node={state}
              name={t("cluster:card", { index: card.index })}
            />
          ))}
        </div>
      ),
    },
    {
      key: "models",
      title: t("column.models"),
      value: modelsOf,
      cell: (node) => modelsOf(node) || "–",
    },
  ];
  const moving: ListColumn<Node> = {
    key: "move",
    title: t("column.action"),
    cell: (node) => <MoveNode node={node} others={others} />,
  };
  return (
    <ListTable
      id="pool-nodes"
      sortName={`sort_${pool.name.replaceAll("-", "_")}`}
      label={t("nodesOf", { pool: titleOf(pool, language) })}
      columns={isManager && others.length > 0 ? [...columns, moving] : columns}
      rows={nodes.toSorted((a, b) => a.name.localeCompare(b.name))}
      rowKey={({ id }) => id}
    />
  );
}

function modelsOf({ models }: Node): string {
  return models.map(({ name }) => name).join(", ");
}

interface MoveNodeProps {
  node: Node;
  others: readonly Pool[];
}

/** Another pool for a node that has been emptied; before that, what to do first. */
function MoveNode({ node, others }: MoveNodeProps) {
  const { t } = useTranslation("pools");
  const [isOpen, setOpen] = useState(false);
  if (node.state !== "drained") return <span className={styles.hint}>{t("drainFirst")}</span>;
  return (
    <>
      <Button
        size="small"
        aria-label={t("moveTitle", { node: node.name })}
        onClick={() => setOpen(true)}
      >
        {t("move")}
      </Button>
      {isOpen && <LaterMoveNode node={node} others={others} onClose={() => setOpen(false)} />}
    </>
  );
}
