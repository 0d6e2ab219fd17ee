import { Alert, Button } from "antd";
import { useState } from "react";
import type { Node } from "@/shared/api/types";
import { formatMoment } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { later } from "@/shared/ui/opening";

const LaterDeclareLost = later(async () => (await import("./node-dialogs")).DeclareLostDialog);

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
      {isAsking && <LaterDeclareLost node={node} onClose={() => setAsking(false)} />}
    </>
  );
}
