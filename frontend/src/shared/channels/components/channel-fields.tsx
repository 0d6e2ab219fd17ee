/** What the channels of the site and those of people have in common: how they are entered, and how they are. */
import { Form, Input, Select, Tag } from "antd";
import type { ReactNode } from "react";
import type { AlarmChannel } from "@/shared/api/types";
import { useCodedText, useTranslation } from "@/shared/i18n/language";
import { CodeBlock } from "@/shared/ui/code-block";
import { later } from "@/shared/ui/opening";
import { Age } from "@/shared/ui/time";

const LaterSecret = later(async () => (await import("@/shared/ui/secret-dialog")).SecretDialog);

const KINDS = ["webhook", "dingtalk", "feishu", "lark", "wecom", "slack", "teams"] as const;
const ADDRESS_MAX = 2000;
const SECRET_MAX = 200;

export interface ChannelAddress {
  kind: AlarmChannel["kind"];
  address: string;
  secret?: string;
}

/** The body that the fields stand for: only DingTalk has a secret that is entered. */
export function channelBody<Fields extends ChannelAddress>({ secret, ...fields }: Fields) {
  return {
    ...fields,
    ...(fields.kind === "dingtalk" && secret && { secret: secret.trim() }),
    address: fields.address.trim(),
  };
}

/** Where a channel goes; `children` are fields between its kind and its address. */
export function ChannelFields({ children }: { children?: ReactNode }) {
  const { t } = useTranslation("channels");
  const kind: AlarmChannel["kind"] = Form.useWatch("kind") ?? "webhook";
  return (
    <>
      <Form.Item name="kind" label={t("kind")}>
        <Select options={KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))} />
      </Form.Item>
      {children}
      <Form.Item
        name="address"
        label={t("address")}
        extra={t(kind === "webhook" ? "addressOfWebhook" : "addressOfChat")}
        rules={[{ required: true, whitespace: true, message: t("addressMissing") }]}
      >
        <Input maxLength={ADDRESS_MAX} autoComplete="off" spellCheck={false} />
      </Form.Item>
      {kind === "dingtalk" && (
        <Form.Item name="secret" label={t("chatSecret")} extra={t("chatSecretAbout")}>
          <Input maxLength={SECRET_MAX} autoComplete="off" spellCheck={false} />
        </Form.Item>
      )}
    </>
  );
}

/** Whether the last message of a channel was taken. */
export function ChannelHealth({
  channel: { failed_at, failure, delivered_at },
}: {
  channel: Pick<AlarmChannel, "failed_at" | "failure" | "delivered_at">;
}) {
  const { t } = useTranslation("channels");
  const coded = useCodedText();
  if (failed_at) {
    const status = /^status_(\d+)$/.exec(failure)?.[1];
    const words = status
      ? t("failureStatus", { status })
      : (coded(`channels:failure.${failure}`) ?? failure);
    return (
      <>
        <Tag color="error">{t("failed")}</Tag> <Age at={failed_at} />
        <div className="second">{words}</div>
      </>
    );
  }
  if (!delivered_at) return <span className="second">{t("neverSent")}</span>;
  return (
    <>
      <Tag color="success">{t("delivered")}</Tag> <Age at={delivered_at} />
    </>
  );
}

/** The secret of a new webhook, which is shown this once; nothing for a chat, which has none. */
export function SigningSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation("channels");
  if (!secret) return null;
  return (
    <LaterSecret title={t("signingSecret")} warning={t("signingSecretOnce")} onClose={onClose}>
      <CodeBlock text={secret} label={t("signingSecret")} />
    </LaterSecret>
  );
}
