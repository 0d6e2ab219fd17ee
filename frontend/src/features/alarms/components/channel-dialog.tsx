import { Form, Input, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { AlarmChannel, AlarmChannelInput } from "@/shared/api/types";
import { LANGUAGE_NAMES, LANGUAGES, useLanguage } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useAddChannel } from "../api/alarms";

const KINDS = ["webhook", "dingtalk", "feishu", "lark", "wecom", "slack", "teams"] as const;
const NAME_MAX = 63;
const ADDRESS_MAX = 2000;
const SECRET_MAX = 200;

interface ChannelFields {
  kind: AlarmChannel["kind"];
  name: string;
  address: string;
  secret?: string;
  language: "en" | "zh-CN";
}

interface ChannelDialogProps {
  /** Gets the secret of a new webhook, which is shown this once. */
  onIssued: (signingSecret: string) => void;
  onClose: () => void;
}

/** A new channel. */
export function ChannelDialog({ onIssued, onClose }: ChannelDialogProps) {
  const { t } = useTranslation("alarms");
  const language = useLanguage();
  const { mutate, isPending, error } = useAddChannel();
  const save = {
    isPending,
    error,
    mutate: (body: AlarmChannelInput, options: SaveOptions) =>
      mutate(body, {
        onError: options.onError,
        onSuccess: ({ signing_secret }) => {
          onIssued(signing_secret);
          options.onSuccess();
        },
      }),
  };
  return (
    <EntityDialog<ChannelFields, AlarmChannelInput>
      title={t("addChannel")}
      action={t("save")}
      initial={{ kind: "webhook", language }}
      save={save}
      bodyOf={({ secret, ...fields }) => ({
        ...fields,
        ...(fields.kind === "dingtalk" && secret && { secret: secret.trim() }),
        address: fields.address.trim(),
      })}
      onClose={onClose}
    >
      <ChannelFormFields />
    </EntityDialog>
  );
}

interface SaveOptions {
  onSuccess: () => void;
  onError: (error: Error) => void;
}

function ChannelFormFields() {
  const { t } = useTranslation("alarms");
  const kind: AlarmChannel["kind"] = Form.useWatch("kind") ?? "webhook";
  return (
    <>
      <Form.Item name="kind" label={t("channelKind")}>
        <Select options={KINDS.map((value) => ({ value, label: t(`channel.${value}`) }))} />
      </Form.Item>
      <Form.Item
        name="name"
        label={t("name")}
        rules={[{ required: true, whitespace: true, message: t("nameMissing") }]}
      >
        <Input maxLength={NAME_MAX} autoComplete="off" />
      </Form.Item>
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
      {kind !== "webhook" && (
        <Form.Item name="language" label={t("language")}>
          <Select options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))} />
        </Form.Item>
      )}
    </>
  );
}
