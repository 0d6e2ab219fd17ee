import { Link } from "@tanstack/react-router";
import { Alert, Button } from "antd";
import { memo, type ReactNode } from "react";
import type { Accelerator, Node } from "@/shared/api/types";
import { BerthStrip } from "@/shared/cluster/components/berth-strip";
import { NodeStateTag } from "@/shared/cluster/components/node-state-tag";
import { unheldUse } from "@/shared/cluster/model/cells";
import { modelFacts } from "@/shared/cluster/model/gpu-models";
import { formatMemory, formatMilli, formatMoment } from "@/shared/i18n/format";
import { useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { Confirm } from "@/shared/ui/confirm-button";
import { Meter } from "@/shared/ui/meter";
import { Panel } from "@/shared/ui/page";
import { useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { NoIsolationBadge } from "@/shared/workload/components/tags";
import { EVACUATION_S, type NodeAction, useCardRetest, useNodeAction } from "../api/nodes";
import { actionsOf } from "../model/node-list";
import { NodeSilence } from "./node-silence";
import styles from "./nodes.module.css";

interface NodePanelProps {
  node: Node;
  /** Among others: with a way to its page. */
  isListed?: boolean;
  /** Else only its name, its state and what is wrong with it. */
  isWhole?: boolean;
}

/** One node: whether it takes work, what is used of it, and its cards. Drawn anew when it has changed. */
export const NodePanel = memo(function NodePanel(props: NodePanelProps) {
  const { node, isListed = false, isWhole = true } = props;
  return (
    <Panel
      title={node.name}
      heading={
        isListed && (
          <Link to="/nodes/$id" params={{ id: node.id }}>
            {node.name}
          </Link>
        )
      }
      extra={
        <span className={styles.state}>
          {!node.is_isolated && <NoIsolationBadge />}
          <NodeStateTag state={node.state} />
        </span>
      }
    >
      <div className="stack">
        <NodeSilence node={node} />
        <NodeReasons node={node} />
        {isWhole ? <NodeUse node={node} /> : <div className={styles.later} />}
      </div>
    </Panel>
  );
});

/** What is used of a node, its cards, and what may be done to it. */
function NodeUse({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  return (
    <>
      <div className={styles.host}>
        <Meter
          label={t("reserved.cpu")}
          amount={t("cores", {
            used: formatMilli(node.cpu_used_milli, language),
            total: formatMilli(node.cpu_milli, language),
          })}
          used={node.cpu_used_milli}
          limit={node.cpu_milli}
        />
        <Meter
          label={t("reserved.memory")}
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
            <NodeCard card={card} node={node.state} />
            <CardRetest nodeId={node.id} card={card} />
          </li>
        ))}
      </ul>
      <p className={styles.hint}>
        {node.models.map(({ name, known }) => (
          <span key={name} className={styles.model}>
            {name}
            {known && ` (${modelFacts(known, language)})`}
          </span>
        ))}
        {t("lastSeen")} <Age at={node.last_seen_at} /> · {node.runtime}
        {node.agent_version && ` · ${t("agent", { version: node.agent_version })}`}
        {[...new Set(node.accelerators.map(({ driver }) => driver))]
          .filter(Boolean)
          .map((version) => ` · ${t("driver", { version })}`)}
      </p>
      <NodeActions node={node} />
    </>
  );
}

/** What is wrong with a card. */
export function useCardFault(): (fault: string) => string {
  const { t } = useTranslation("nodes");
  const coded = useCodedText();
  return (fault) => {
    const xid = /^xid_(\d+)$/.exec(fault)?.[1];
    if (xid) return t("cardXid", { number: xid });
    return coded(`nodes:cardFault.${fault}`) ?? t("faultOther", { code: fault });
  };
}

function NodeCard({ card, node }: { card: Accelerator; node: Node["state"] }) {
  const { t } = useTranslation(["nodes", "cluster"]);
  const coded = useCodedText();
  const faultOf = useCardFault();
  const fillOf = ({ slices, holders }: Accelerator) => {
    if (slices > 1) return t("held", { count: holders.length, total: slices });
    if (holders.length > 0) return t("cluster:legend.taken");
    return t(`cluster:legend.${unheldUse(card.state, node)}`);
  };
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
      {card.fault !== "" && <p className={styles.hint}>{faultOf(card.fault)}</p>}
      <BerthStrip card={card} node={node} name={name} size="large" />
    </>
  );
}

/** Why the node takes no work, or soon may not: what an operator set, and what it reports itself. */
function NodeReasons({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const coded = useCodedText();
  const language = useLanguage();
  const { hold, drain_until, drain_stops, faults, containers_held } = node;
  const isDraining = hold === "drain" && node.state !== "drained";
  const deadline = drain_until && formatMoment(new Date(drain_until), language);
  return (
    <>
      {hold !== "" && (
        <p className={styles.hint}>
          {t(`hold.${hold === "drain" && !isDraining ? "drained" : hold}`)}
          {isDraining &&
            deadline &&
            ` ${t(drain_stops ? "drainStops" : "drainMoves", { at: deadline })}`}
          {isDraining && containers_held > 0 && ` ${t("drainLeft", { count: containers_held })}`}
        </p>
      )}
      {faults.map(({ code, detail, is_blocking }) => (
        <Alert
          key={`${code} ${detail}`}
          type={is_blocking ? "error" : "warning"}
          showIcon
          title={coded(`nodes:fault.${code}`) ?? t("faultOther", { code })}
          description={[is_blocking && t("takesNoWork"), detail].filter(Boolean).join(" ")}
        />
      ))}
    </>
  );
}

/** What is asked before something is done to a node, wherever that begins. */
export function useActWords(): (action: NodeAction, node: Node) => ActWords {
  const { t } = useTranslation("nodes");
  return (action, { name, containers_held: count }) => ({
    title: t(`act.${action}.question`, { node: name }),
    description: (
      <div className={styles.question}>
        {t(`act.${action}.about`, { minutes: EVACUATION_S / 60 })}{" "}
        {count > 0 ? t("act.holds", { count }) : t("act.holdsNone")}
      </div>
    ),
    okText: t(`act.${action}.name`),
    okButtonProps: { danger: action === "retire" || action === "evacuate" },
    cancelText: t("act.keep"),
  });
}

interface ActWords {
  title: string;
  description: ReactNode;
  okText: string;
  okButtonProps: { danger: boolean };
  cancelText: string;
}

/** What an operator may do to the node in its present state; hidden for other roles. */
function NodeActions({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const showProblem = useProblemMessage();
  const action = useNodeAction(node.id);
  const words = useActWords();
  if (!isOperator(useMe())) return null;
  const run = (name: NodeAction) => action.mutate(name, { onError: showProblem });
  return (
    <div className={styles.actions}>
      {actionsOf(node).map((name) => (
        <Confirm key={name} {...words(name, node)} onConfirm={() => run(name)}>
          <Button size="small" loading={action.isPending && action.variables === name}>
            {t(`act.${name}.name`)}
          </Button>
        </Confirm>
      ))}
    </div>
  );
}

/** Lets an operator test a card again that is out of service; hidden for other roles. */
function CardRetest({ nodeId, card }: { nodeId: string; card: Accelerator }) {
  const { t } = useTranslation("nodes");
  const showProblem = useProblemMessage();
  const retest = useCardRetest(nodeId);
  const mayAsk = isOperator(useMe());
  if (card.state === "ok" || !mayAsk) return null;
  if (card.is_retest_due) return <p className={styles.hint}>{t("retest.due")}</p>;
  const ask = () => retest.mutate(card.id, { onError: showProblem });
  return (
    <Button size="small" title={t("retest.about")} loading={retest.isPending} onClick={ask}>
      {t("retest.name")}
    </Button>
  );
}
