import { Alert } from "antd";
import { useTranslation } from "react-i18next";
import { useConfig } from "@/shared/session/me";
import { CodeBlock } from "@/shared/ui/code-block";
import { Panel } from "@/shared/ui/page";

/** What to type, with this installation's own address. */
export function HowTo() {
  const { t } = useTranslation("ssh-keys");
  const config = useConfig();
  if (!config) return null;
  if (config.ssh_port === null) return <Alert type="info" showIcon title={t("off")} />;
  const host = new URL(config.portal_url).hostname;
  const stanza = `Host berth-*\n  HostName ${host}\n  Port ${config.ssh_port}\n  ServerAliveInterval 30`;
  return (
    <Panel title={t("how")}>
      <div className="stack">
        <Command label={t("shell")} text={`ssh -p ${config.ssh_port} ${t("workload")}@${host}`} />
        <Command
          label={t("forward")}
          text={`ssh -p ${config.ssh_port} -N -L 6006:localhost:6006 ${t("workload")}@${host}`}
        />
        <Command label={t("config")} text={`${stanza}\n\nHost berth-lab\n  User lab`} />
      </div>
    </Panel>
  );
}

function Command({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <div>{label}</div>
      <CodeBlock label={label} text={text} />
    </div>
  );
}
