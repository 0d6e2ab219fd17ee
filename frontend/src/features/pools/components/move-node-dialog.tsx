import { Form, Select } from "antd";
import type { Node, Pool } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMoveNode } from "../api/pools";

interface MoveNodeDialogProps {
  node: Node;
  others: readonly Pool[];
  onClose: () => void;
}

/** Which pool an emptied node goes to. */
export function MoveNodeDialog({ node, others, onClose }: MoveNodeDialogProps) {
  const { t } = useTranslation("pools");
  const language = useLanguage();
  const move = useMoveNode(node.id);
  return (
    <EntityDialog<{ pool: string }, { pool: string }>
      title={t("moveTitle", { node: node.name })}
      action={t("move")}
      initial={others[0] ? { pool: others[0].id } : {}}
      save={move}
      bodyOf={(form) => form}
      onClose={onClose}
    >
      <Form.Item name="pool" label={t("movePool")} extra={t("moveAbout")}>
        <Select
          options={others.map((pool) => ({ value: pool.id, label: titleOf(pool, language) }))}
        />
      </Form.Item>
    </EntityDialog>
  );
}
