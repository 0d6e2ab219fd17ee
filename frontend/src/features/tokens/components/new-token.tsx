import { Alert } from "antd";
import { useTranslation } from "react-i18next";
import type { NewToken as Token } from "@/shared/api/types";
import { useConfig } from "@/shared/session/me";
import { CodeBlock } from "@/shared/ui/code-block";

/** The secret, shown this once, with a command that proves it. */
export function NewToken({ token }: { token: Token }) {
  const { t } = useTranslation("tokens");
  const portalUrl = useConfig()?.portal_url ?? window.location.origin;
  return (
    <div className="stack">
      <Alert type="warning" showIcon title={t("once")} />
      <CodeBlock label={t("secret")} text={token.token} />
      <CodeBlock
        label={t("tryIt")}
        text={`export BERTH_TOKEN=${token.token}\ncurl -H "Authorization: Bearer $BERTH_TOKEN" ${portalUrl}/api/v1/workloads`}
      />
    </div>
  );
}
