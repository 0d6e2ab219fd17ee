import { useTranslation } from "react-i18next";
import type { Node } from "@/shared/api/types";
import { useNodes } from "@/shared/cluster/api/cluster";
import { BerthLegend } from "@/shared/cluster/components/berth-strip";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { NodePanel } from "./node-panel";
import styles from "./nodes.module.css";

/** Every node of every pool with its cards. */
export function NodeMap() {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const nodes = useNodes();
  if (nodes.isPending) return <Loading rows={8} />;
  if (!nodes.data) return <ProblemAlert error={nodes.error} onRetry={() => void nodes.refetch()} />;
  if (nodes.data.length === 0)
    return <EmptyState title={t("empty.title")} text={t("empty.text")} />;
  return (
    <div className="stack">
      <BerthLegend />
      {byPool(nodes.data).map(({ pool, members }) => (
        <section key={pool.id} className={styles.pool} aria-label={titleOf(pool, language)}>
          <h2>{titleOf(pool, language)}</h2>
          <div className={styles.nodes}>
            {members.map((node) => (
              <NodePanel key={node.id} node={node} hasLink />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function byPool(nodes: readonly Node[]): { pool: Node["pool"]; members: Node[] }[] {
  const groups = new Map<string, { pool: Node["pool"]; members: Node[] }>();
  for (const node of nodes.toSorted((a, b) => a.name.localeCompare(b.name))) {
    const group = groups.get(node.pool.id) ?? { pool: node.pool, members: [] };
    group.members.push(node);
    groups.set(node.pool.id, group);
  }
  return [...groups.values()];
}
