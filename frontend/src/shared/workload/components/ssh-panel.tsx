import { Link } from "@tanstack/react-router";
import { KINDS } from "@/shared/api/kinds.gen";
import type { WorkloadDetail } from "@/shared/api/types";
import { useSshKeys } from "@/shared/cluster/api/credentials";
import { useTranslation } from "@/shared/i18n/language";
import { useConfig, useMe } from "@/shared/session/me";
import { isMineToOpen } from "@/shared/session/roles";
import { CodeBlock } from "@/shared/ui/code-block";
import { FoldedPanel } from "@/shared/ui/page";

/** The portal's SSH gateway. */
export interface SshGateway {
  host: string;
  port: number;
}

/** Undefined while it is not known, null where the site has none. */
export function useSshGateway(): SshGateway | null | undefined {
  const config = useConfig();
  if (!config) return undefined;
  if (!config.ssh_port) return null;
  return { host: new URL(config.portal_url).hostname, port: config.ssh_port };
}

export function sshCommand({ host, port }: SshGateway, login: string, options = ""): string {
  return `ssh -p ${port} ${options}${login}@${host}`;
}

/** A part of `~/.ssh/config`. */
export function sshStanza({ host, port }: SshGateway, alias: string, login = ""): string {
  return [
    `Host ${alias}`,
    `  HostName ${host}`,
    `  Port ${port}`,
    ...(login ? [`  User ${login}`] : []),
    "  ServerAliveInterval 30",
  ].join("\n");
}

/** A line to type or to paste, and what it is for. */
export function SshLine({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <div>{label}</div>
      <CodeBlock label={label} text={text} />
    </div>
  );
}

/** How its owner gets into running work from a computer, where the site has SSH. */
export function SshPanel({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const me = useMe();
  const gateway = useSshGateway();
  if (!gateway || workload.state !== "running" || !isMineToOpen(me, workload)) return null;
  return (
    <FoldedPanel title={t("ssh.title")}>
      <SshLines workload={workload} gateway={gateway} />
    </FoldedPanel>
  );
}

function SshLines({ workload, gateway }: { workload: WorkloadDetail; gateway: SshGateway }) {
  const { t } = useTranslation("workload");
  const keys = useSshKeys().data;
  const login = loginOf(workload);
  const alias = `berth-${login}`;
  const folder = folderOf(workload);
  const remote = `ssh-remote+${alias}`;
  return (
    <div className="stack">
      {keys?.length === 0 && (
        <div>
          {t("ssh.noKey")} <Link to="/ssh-keys">{t("ssh.addKey")}</Link>
        </div>
      )}
      <SshLine label={t("ssh.shell")} text={sshCommand(gateway, login)} />
      <SshLine label={t("ssh.config")} text={sshStanza(gateway, alias, login)} />
      <SshLine label={t("ssh.code")} text={`code --remote ${remote} ${folder}`.trim()} />
      {folder && <a href={`vscode://vscode-remote/${remote}${folder}`}>{t("ssh.openCode")}</a>}
      {login === workload.name && <div className="quiet">{t("ssh.sameName")}</div>}
    </div>
  );
}

const PLAIN_NAME = /^[A-Za-z0-9][\w.-]*$/;
/** Leads to the volumes instead. */
const FILES_LOGIN = "files";

/** Its name; its id where a shell would take the name apart, or where it means something else. */
function loginOf({ id, name, array_index }: WorkloadDetail): string {
  const isItsOwn = array_index === null && name !== FILES_LOGIN;
  return isItsOwn && PLAIN_NAME.test(name) ? name : id;
}

/** Where an editor begins; empty where the folder is on the node's own disk, which has other paths. */
function folderOf({ kind, runtime, spec }: WorkloadDetail): string {
  if (runtime !== "docker") return "";
  if (KINDS[kind].runs_to_end) return "/outputs";
  return spec.home ? "/home/berth" : "/workspace";
}
