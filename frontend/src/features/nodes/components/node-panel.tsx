import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Accelerator, Node } from "@/shared/api/types";
import { BerthStrip } from "@/shared/cluster/components/berth-strip";
import { NodeStateTag } from "@/shared/cluster/components/node-state-tag";
import { formatMemory, formatMilli } from "@/shared/i18n/format";
import { useCodedText, useLanguage } from "@/shared/i18n/language";
import { Meter } from "@/shared/ui/meter";
import { Panel } from "@/shared/ui/page";
import { Age } from "@/shared/ui/time";
import { NoIsolationBadge } from "@/shared/workload/components/tags";
import { CardRetest } from "./card-retest";
import { NodeActions } from "./node-actions";
import { NodeReasons } from "./node-reasons";
import styles from "./nodes.module.css";

/** One node: whether it takes work, what is used of it, and its cards. */
export function NodePanel({ node, hasLink = false }: { node: Node; hasLink?: boolean }) {
  const { t } = useTranslation(["nodes", "telemetry"]);
  const language = useLanguage();
  return (
    <Panel
      title={node.name}
      extra={
        <span className={styles.state}>
          {!node.is_isolated && <NoIsolationBadge />}
          <NodeStateTag state={node.state} />
          {hasLink && (
            <Link to="/nodes/$id" params={{ id: node.id }} className={styles.link}>
              {t("telemetry:title")}
            </Link>
          )}
        </span>
      }
    >
      <div className="stack">
        <NodeReasons node={node} />
        <div className={styles.host}>
          <Meter
            label={t("cpu")}
            amount={t("cores", {
              used: formatMilli(node.cpu_used_milli, language),
              total: formatMilli(node.cpu_milli, language),
            })}
            used={node.cpu_used_milli}
            limit={node.cpu_milli}
          />
          <Meter
            label={t("memory")}
            amount={t("ofTotal", {
              used: formatMemory(node.memory_used_mib, language),
              total: formatMemory(node.memory_mib, language),
            })}
            used={node.memory_used_mib}
            limit={node.memory_mib}
          />
        </div>
        <ul className={styles.cards}>
          {node.accelerators.map((card) => (
            <li key={card.id}>
              <CardLine card={card} />
              <CardRetest nodeId={node.id} card={card} />
            </li>
          ))}
        </ul>
        <p className={styles.hint}>
          {[...new Set(node.accelerators.map(({ model }) => model))].join(", ")} · {t("lastSeen")}{" "}
          <Age at={node.last_seen_at} /> · {node.runtime}
          {node.agent_version && ` · ${t("agent", { version: node.agent_version })}`}
        </p>
        <NodeActions node={node} />
      </div>
    </Panel>
  );
}

function CardLine({ card }: { card: Accelerator }) {
  const { t } = useTranslation(["nodes", "cluster"]);
  const coded = useCodedText();
  const faultOf = ({ fault }: Accelerator) => {
    const xid = /^xid_(\d+)$/.exec(fault)?.[1];
    if (xid) return t("cardXid", { number: xid });
    return coded(`nodes:cardFault.${fault}`) ?? t("faultOther", { code: fault });
  };
  const fillOf = ({ slices, holders }: Accelerator) =>
    slices > 1
      ? t("held", { count: holders.length, total: slices })
      : t(holders.length > 0 ? "cluster:legend.taken" : "cluster:legend.free");
  const name = t("cluster:card", { index: card.index });
  return (
    <>
      <div className={styles.cardWords}>
        <span>{name}</span>
        <span className={`num ${styles.hint}`}>
          {card.state === "ok"
            ? fillOf(card)
            : (coded(`nodes:cardState.${card.state}`) ?? card.state)}
        </span>
      </div>
      {card.fault !== "" && <p className={styles.hint}>{faultOf(card)}</p>}
      <BerthStrip card={card} name={name} size="large" />
    </>
  );
}
