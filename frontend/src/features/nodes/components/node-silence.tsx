import { Alert, Button, Form, Input } from "antd";
import { useState } from "react";
import type { Node } from "@/shared/api/types";
import { formatMoment } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useDeclareLost } from "../api/nodes";

/** Since when a node is not heard, what it holds meanwhile, and a way to give that up. */
export function NodeSilence({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const [isAsking, setAsking] = useState(false);
  const mayAct = isOperator(useMe());
  const { silent_since, lost_as, containers_held: count } = node;
  if (!silent_since) return null;
  const held = count > 0 ? t("silent.kept", { count }) : t("silent.none");
  return (
    <>
      <Alert
        type="warning"
        showIcon
        title={t("silent.title", { at: formatMoment(new Date(silent_since), language) })}
        description={lost_as === "" ? held : t(`lostAs.${lost_as}`)}
        action={
          mayAct && node.state === "lost" && count > 0 ? (
            <Button size="small" danger onClick={() => setAsking(true)}>
              {t("declareLost.name")}
            </Button>
          ) : null
        }
      />
      {isAsking && <DeclareLostDialog node={node} onClose={() => setAsking(false)} />}
    </>
  );
}

/** The operator types the node's name: two copies of its work may run if the wrong one is meant. */
function DeclareLostDialog({ node, onClose }: { node: Node; onClose: () => void }) {
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
