import { Button, Form, Input, Modal } from "antd";
import { useState } from "react";
import type { JoinToken, Pool } from "@/shared/api/types";
import { formatClock } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useConfig } from "@/shared/session/me";
import { CodeBlock } from "@/shared/ui/code-block";
import { ProblemAlert } from "@/shared/ui/query-states";
import { useRefusal } from "@/shared/ui/refusal";
import { SecretDialog } from "@/shared/ui/secret-dialog";
import { useInviteNode } from "../api/pools";
import { POOL_NAME } from "../model/pool";

interface Invitation extends JoinToken {
  node_name: string;
}

interface InviteDialogProps {
  pool: Pool;
  title: string;
  onClose: () => void;
}

/** Asks for the name of a server, then shows its settings once. */
export function InviteDialog({ pool, title, onClose }: InviteDialogProps) {
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  if (invitation) return <AgentSettings title={title} invitation={invitation} onClose={onClose} />;
  return (
    <Modal open title={title} footer={null} onCancel={onClose}>
      <InvitationForm pool={pool} onInvited={setInvitation} />
    </Modal>
  );
}

function InvitationForm({
  pool,
  onInvited,
}: {
  pool: Pool;
  onInvited: (made: Invitation) => void;
}) {
  const { t } = useTranslation("pools");
  const [form] = Form.useForm<{ node_name: string }>();
  const invite = useInviteNode(pool.id);
  const refusal = useRefusal(form, invite);
  const send = ({ node_name }: { node_name: string }) => {
    refusal.forget();
    invite.mutate(
      { node_name },
      {
        onSuccess: (token) => onInvited({ ...token, node_name }),
        onError: (error) => refusal.mark(error),
      },
    );
  };
  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark={false}
      onValuesChange={refusal.forget}
      onFinish={send}
    >
      <Form.Item
        name="node_name"
        label={t("nodeName")}
        extra={t("nodeNameAbout")}
        rules={[{ required: true, pattern: POOL_NAME, message: t("nameWrong") }]}
      >
        <Input autoComplete="off" spellCheck={false} placeholder="gpu-7" />
      </Form.Item>
      {invite.error && <ProblemAlert error={invite.error} form={form} />}
      <Button type="primary" htmlType="submit" loading={invite.isPending}>
        {t("invite")}
      </Button>
    </Form>
  );
}

/** What the agent of that server reads when it starts. */
function AgentSettings({
  title,
  invitation: { node_name, token, expires_at },
  onClose,
}: {
  title: string;
  invitation: Invitation;
  onClose: () => void;
}) {
  const { t } = useTranslation("pools");
  const language = useLanguage();
  const portalUrl = useConfig()?.portal_url ?? window.location.origin;
  const settings = [
    `name = "${node_name}"`,
    `portal_url = "${portalUrl}"`,
    `join_token = "${token}"`,
    'runtime = "docker"',
    'state_dir = "/var/lib/berth"',
    'storage_dir = "/srv/berth/storage"',
  ].join("\n");
  return (
    <SecretDialog
      title={title}
      warning={t("once", { at: formatClock(new Date(expires_at), language) })}
      onClose={onClose}
    >
      <CodeBlock label="/etc/berth/agent.toml" text={settings} />
      <CodeBlock
        label={t("thenRun")}
        text={
          "python -m nodeagent doctor --config /etc/berth/agent.toml\nsystemctl enable --now berth-agent"
        }
      />
    </SecretDialog>
  );
}
