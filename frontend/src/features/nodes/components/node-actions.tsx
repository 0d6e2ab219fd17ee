import { App, Button, Popconfirm } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import type { Node } from "@/shared/api/types";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { useProblemText } from "@/shared/ui/query-states";
import { EVACUATION_S, type NodeAction, useNodeAction } from "../api/use-node-action";
import styles from "./nodes.module.css";

/** What an operator may do to the node in its present state; nobody else sees it. */
export function NodeActions({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const { message } = App.useApp();
  const describe = useProblemText();
  const action = useNodeAction(node.id);
  if (!isOperator(useMe())) return null;
  const run = (name: NodeAction) =>
    action.mutate(name, { onError: (error) => void message.error(describe(problemOf(error))) });
  return (
    <div className={styles.actions}>
      {actionsOf(node).map((name) => (
        <Popconfirm
          key={name}
          title={t(`act.${name}.question`)}
          description={t(`act.${name}.about`, { minutes: EVACUATION_S / 60 })}
          okText={t(`act.${name}.name`)}
          okButtonProps={{ danger: name === "retire" || name === "evacuate" }}
          cancelText={t("act.keep")}
          onConfirm={() => run(name)}
        >
          <Button size="small" loading={action.isPending && action.variables === name}>
            {t(`act.${name}.name`)}
          </Button>
        </Popconfirm>
      ))}
    </div>
  );
}

function actionsOf({ hold, state, drain_stops }: Node): NodeAction[] {
  const found: NodeAction[] = [];
  if (hold === "quarantine") return state === "lost" ? ["retire"] : found;
  if (hold === "") found.push("cordon");
  if (hold !== "drain") found.push("drain");
  if (state !== "drained" && !drain_stops) found.push("evacuate");
  if (hold !== "") found.push("uncordon");
  if (state === "drained" || state === "lost") found.push("retire");
  return found;
}
