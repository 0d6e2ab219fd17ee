/** Sharing on the pages of notebooks, apps and jobs: whom its owner lets in, and what a colleague sees of it. */
import { Link } from "@tanstack/react-router";
import { Alert, Button, Flex, Tag } from "antd";
import { useState } from "react";
import { KINDS } from "@/shared/api/kinds.gen";
import type { AccessShare, ReceivedShare, WorkloadDetail } from "@/shared/api/types";
import { formatDeadline } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canStop, isMineToOpen } from "@/shared/session/roles";
import { CopyButton } from "@/shared/ui/code-block";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary, useProblemMessage } from "@/shared/ui/query-states";
import { useNow } from "@/shared/ui/time";
import { isTerminal } from "@/shared/workload/model/lifecycle";
import {
  useEndShare,
  useLeaveShare,
  useOpenShared,
  useReceivedShares,
  useShares,
} from "../api/sharing";

const LaterShareDialog = later(async () => (await import("./share-dialog")).ShareDialog);

const pathOf = ({ id, kind }: Pick<WorkloadDetail, "id" | "kind">) => `/${KINDS[kind].page}/${id}`;

/** Who may open it besides its owner, who shares it here; whoever may stop it may end a share. */
export function SharePanel({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("sharing");
  const me = useMe();
  const isMine = isMineToOpen(me, workload);
  const isShown = (isMine || canStop(me, workload)) && !isTerminal(workload.state);
  const shares = useShares(workload, isShown);
  const [isOpen, setOpen] = useState(false);
  if (!isShown) return null;
  return (
    <Panel title={t("title")} testId="sharing">
      <QueryBoundary query={shares} rows={1} canRetry={false}>
        {(found) => (
          <div className="stack">
            {found.length === 0 && <p className="quiet">{t("none")}</p>}
            {found.map((share) => (
              <ShareLine key={share.id} workload={workload} share={share} />
            ))}
            {isMine && (
              <Flex gap={8} wrap align="center">
                <Button onClick={() => setOpen(true)}>{t("share")}</Button>
                {found.length > 0 && <PageLink workload={workload} />}
              </Flex>
            )}
          </div>
        )}
      </QueryBoundary>
      {isOpen && <LaterShareDialog workload={workload} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function PageLink({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("sharing");
  const link = `${window.location.origin}${pathOf(workload)}`;
  return (
    <span style={{ overflowWrap: "anywhere" }}>
      {t("link")} <code className="mono">{link}</code> <CopyButton text={link} what={t("link")} />
    </span>
  );
}

function ShareLine({ workload, share }: { workload: WorkloadDetail; share: AccessShare }) {
  const { t } = useTranslation("sharing");
  const end = useEndShare(workload);
  const name = share.person.display_name || share.person.username;
  return (
    <Flex gap={8} wrap align="center">
      <span>{name}</span>
      <ShareTerms share={share} />
      <ConfirmButton
        input={share.id}
        action={t("end")}
        label={t("endWith", { name })}
        question={t("endQuestion", { name })}
        mutation={end}
        isDangerous
      />
    </Flex>
  );
}

/** How much is shared, and until when. */
function ShareTerms({ share }: { share: Pick<AccessShare, "access" | "expires_at"> }) {
  const { t } = useTranslation("sharing");
  const language = useLanguage();
  const at = formatDeadline(new Date(share.expires_at), useNow(), language);
  return (
    <>
      <Tag>{t(`access.${share.access}`)}</Tag>
      <span className="quiet">{t("until", { at })}</span>
    </>
  );
}

/** Opens what a colleague shares with me, where it does; nothing for everyone else. */
export function SharedWithMe({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("sharing");
  const me = useMe();
  const found = useReceivedShares().data?.find((share) => share.workload.id === workload.id);
  if (!found || isMineToOpen(me, workload)) return null;
  const { endpoint } = KINDS[workload.kind];
  const isOpenable = {
    ports: workload.state === "running",
    port: true,
    server: workload.is_ready,
  }[endpoint];
  return (
    <Alert
      type="info"
      role="status"
      data-testid="shared-with-me"
      title={
        <Flex gap={8} wrap align="center">
          {t("sharedByOwner", { name: workload.owner.display_name || workload.owner.username })}
          <ShareTerms share={found} />
        </Flex>
      }
      description={t(isOpenable ? `accessNotice.${found.access}` : "notRunning")}
      action={
        isOpenable && (
          <Flex gap={8} wrap>
            {endpoint !== "port" &&
              workload.spec.ports.map((port) => (
                <OpenSharedButton
                  key={port}
                  share={found}
                  port={port}
                  name={workload.spec.port_names[port]}
                />
              ))}
            {endpoint !== "ports" && <OpenSharedButton share={found} />}
          </Flex>
        )
      }
    />
  );
}

interface OpenSharedButtonProps {
  share: ReceivedShare;
  port?: number;
  /** What its owner calls the port. */
  name?: string | undefined;
}

function OpenSharedButton({ share, port, name }: OpenSharedButtonProps) {
  const { t } = useTranslation("workload");
  const showProblem = useProblemMessage();
  const open = useOpenShared(share.id);
  return (
    <Button
      type={port === undefined ? "primary" : "default"}
      size="small"
      loading={open.isPending}
      onClick={() => open.mutate(port, { onError: showProblem })}
    >
      {port === undefined ? t("open") : (name ?? t("openPort", { port }))}
    </Button>
  );
}

/** What colleagues share with me of a kind, above the list of all; nothing where there is none. */
export function ReceivedShares({ kind }: { kind: ReceivedShare["workload"]["kind"] }) {
  const { t } = useTranslation("sharing");
  const leave = useLeaveShare();
  const found = useReceivedShares().data?.filter(({ workload }) => workload.kind === kind) ?? [];
  if (found.length === 0) return null;
  return (
    <Panel title={t("sharedWithMe")} testId="received-shares">
      <div className="stack">
        {found.map((share) => (
          <Flex key={share.id} gap={8} wrap align="center">
            <Link to={pathOf(share.workload)}>{share.workload.name}</Link>
            <span>{share.owner.display_name || share.owner.username}</span>
            <ShareTerms share={share} />
            <ConfirmButton
              input={share.id}
              action={t("leave")}
              label={t("leaveOne", { name: share.workload.name })}
              question={t("leaveQuestion")}
              mutation={leave}
            />
          </Flex>
        ))}
      </div>
    </Panel>
  );
}
