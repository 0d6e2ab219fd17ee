/** What opens above the pages of nodes: what an operator confirms by typing a word, and one card. */
import { Drawer, Form, Input } from "antd";
import type { CardMap, ForgottenContainer, Node } from "@/shared/api/types";
import type { MapCard } from "@/shared/cluster/model/board";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useDeclareLost } from "../api/nodes";
import { useFinishRecovery, useStopForgotten } from "../api/recovery";
import { CardDetails } from "./card-words";

/** The operator types the container's name: the portal cannot start unknown work again. */
export function StopDialog({ row, onClose }: { row: ForgottenContainer; onClose: () => void }) {
  const { t } = useTranslation("nodes");
  return (
    <EntityDialog<{ name: string }, { name: string }>
      title={t("recovery.stop.title", { name: row.allocation })}
      action={t("recovery.stop.name")}
      initial={{ name: "" }}
      save={useStopForgotten(row.id)}
      bodyOf={({ name }) => ({ name: name.trim() })}
      onClose={onClose}
    >
      <p>{t("recovery.stop.about")}</p>
      <Form.Item name="name" label={t("recovery.stop.confirm")} rules={[{ required: true }]}>
        <Input autoComplete="off" placeholder={row.allocation} />
      </Form.Item>
    </EntityDialog>
  );
}

export function FinishDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("nodes");
  return (
    <EntityDialog<{ confirm: string }, { confirm: string }>
      title={t("recovery.finish.title")}
      action={t("recovery.finish.name")}
      initial={{ confirm: "" }}
      save={useFinishRecovery()}
      bodyOf={({ confirm }) => ({ confirm: confirm.trim() })}
      onClose={onClose}
    >
      <p>{t("recovery.finish.about")}</p>
      <Form.Item name="confirm" label={t("recovery.finish.confirm")} rules={[{ required: true }]}>
        <Input autoComplete="off" placeholder="finish" />
      </Form.Item>
    </EntityDialog>
  );
}

/** The operator types the node's name: two copies of its work may run if the wrong one is meant. */
export function DeclareLostDialog({ node, onClose }: { node: Node; onClose: () => void }) {
  const { t } = useTranslation("nodes");
  const declare = useDeclareLost(node.id);
  return (
    <EntityDialog<{ name: string }, { name: string }>
      title={t("declareLost.title", { node: node.name })}
      action={t("declareLost.name")}
      initial={{ name: "" }}
      save={declare}
      bodyOf={({ name }) => ({ name: name.trim() })}
      onClose={onClose}
    >
      <p>{t("declareLost.about")}</p>
      <Form.Item name="name" label={t("declareLost.confirm")} rules={[{ required: true }]}>
        <Input autoComplete="off" placeholder={node.name} />
      </Form.Item>
    </EntityDialog>
  );
}

interface CardDrawerProps {
  map: CardMap;
  card: MapCard;
  onClose: () => void;
}

/** One card of the map. */
export function CardDrawer({ map, card, onClose }: CardDrawerProps) {
  return (
    <Drawer open onClose={onClose} title={card.name}>
      <CardDetails map={map} card={card} />
    </Drawer>
  );
}
