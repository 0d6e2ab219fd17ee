import { Modal } from "antd";
import type { Node } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { QueryBoundary, useProblemMessage } from "@/shared/ui/query-states";
import { useNode, useNodeAction } from "../api/nodes";
import { useActWords } from "./node-panel";

interface DrainQuestionProps {
  node: Pick<Node, "id" | "name">;
  onClose: () => void;
}

/** Asks what the button of the node's page asks, and drains it. */
export function DrainQuestion({ node, onClose }: DrainQuestionProps) {
  const { t } = useTranslation("nodes");
  const words = useActWords();
  const query = useNode(node.id);
  const action = useNodeAction(node.id);
  const showProblem = useProblemMessage();
  const drain = () => action.mutate("drain", { onError: showProblem, onSettled: onClose });
  const { description, ...said } = query.data ? words("drain", query.data) : { description: null };
  return (
    <Modal
      open
      title={t("act.drain.question", { node: node.name })}
      {...said}
      okButtonProps={{ disabled: !query.data }}
      confirmLoading={action.isPending}
      onOk={drain}
      onCancel={onClose}
    >
      <QueryBoundary query={query} rows={2}>
        {() => description}
      </QueryBoundary>
    </Modal>
  );
}
