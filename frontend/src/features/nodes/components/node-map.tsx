import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { Node } from "@/shared/api/types";
import { useNodes } from "@/shared/cluster/api/nodes";
import { NodesLegend } from "@/shared/cluster/components/berth-strip";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { useArrival } from "@/shared/lists/api/views";
import { ScopedCharts } from "@/shared/telemetry/components/scoped-charts";
import { Segments } from "@/shared/ui/controls";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { NodeList } from "./node-list";
import { NodePanel } from "./node-panel";
import styles from "./nodes.module.css";

/** What the cluster uses, and every node of every pool with its cards; or all nodes as one list. */
export function NodeMap() {
  const { t } = useTranslation("nodes");
  const { search, change } = useAddress();
  useArrival("nodes");
  const as = search.as === "list" ? "list" : "pools";
  return (
    <QueryBoundary query={useNodes()} rows={8}>
      {(nodes) =>
        nodes.length === 0 ? (
          <EmptyState title={t("empty.title")} text={t("empty.text")} />
        ) : (
          <div className="stack">
            <Segments
              label={t("as.label")}
              value={as}
              options={(["pools", "list"] as const).map((value) => ({
                value,
                label: t(`as.${value}`),
              }))}
              onChoose={(value) => change({ as: value === "list" ? "list" : undefined })}
            />
            {as === "list" ? <NodeList nodes={nodes} /> : <NodesByPool nodes={nodes} />}
          </div>
        )
      }
    </QueryBoundary>
  );
}

function NodesByPool({ nodes }: { nodes: readonly Node[] }) {
  const { t } = useTranslation("telemetry");
  const language = useLanguage();
  const pools = byPool(nodes);
  return (
    <div className="stack">
      <ScopedCharts
        whole={{ kind: "cluster" }}
        title={t("scope.cluster")}
        parts={pools.map(({ pool }) => ({
          kind: "pool" as const,
          id: pool.id,
          title: titleOf(pool, language),
        }))}
      />
      <NodesLegend nodes={nodes} />
      {pools.map(({ pool, members }) => (
        <section key={pool.id} className={styles.pool} aria-label={titleOf(pool, language)}>
          <h2>{titleOf(pool, language)}</h2>
          <div className={styles.nodes}>
            {members.map((node) => (
              <ListedNode key={node.id} node={node} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

/** Of a large site, only what a reader comes near is drawn whole; each node is found by its name. */
function ListedNode({ node }: { node: Node }) {
  const place = useRef<HTMLDivElement>(null);
  const isNear = useIsNear(place);
  return (
    <div ref={place}>
      <NodePanel node={node} isListed isWhole={isNear} />
    </div>
  );
}

/** Whether an element has been within a screen of what its reader sees. */
function useIsNear(place: RefObject<Element | null>): boolean {
  const [isNear, setNear] = useState(false);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element || isNear) return undefined;
    const { top, bottom } = element.getBoundingClientRect();
    if (top < 2 * innerHeight && bottom > -innerHeight) {
      setNear(true);
      return undefined;
    }
    const watch = new IntersectionObserver(
      (entries) => setNear(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: "100% 0px" },
    );
    watch.observe(element);
    return () => watch.disconnect();
  }, [place, isNear]);
  return isNear;
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
