import { Button, Form, Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Node, Pool } from "@/shared/api/types";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMoveNode } from "../api/use-pools-admin";
import styles from "./pools.module.css";

interface MoveNodeProps {
  node: Node;
  others: readonly Pool[];
}

/** Another pool for a node that has been emptied; before that, what to do first. */
export function MoveNode({ node, others }: MoveNodeProps) {
  const { t } = useTranslation("pools");
  const language = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const move = useMoveNode(node.id);
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
      {isOpen && (
        <EntityDialog<{ pool: string }, { pool: string }>
          title={t("moveTitle", { node: node.name })}
          action={t("move")}
          initial={others[0] ? { pool: others[0].id } : {}}
          sender={move}
          bodyOf={(form) => form}
          onClose={() => setOpen(false)}
        >
          <Form.Item name="pool" label={t("movePool")} extra={t("moveAbout")}>
            <Select
              options={others.map((pool) => ({ value: pool.id, label: titleOf(pool, language) }))}
            />
          </Form.Item>
        </EntityDialog>
      )}
    </>
  );
}
