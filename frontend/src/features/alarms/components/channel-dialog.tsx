import { Form, Input, Select } from "antd";
import type { AlarmChannelInput } from "@/shared/api/types";
import {
  type ChannelAddress,
  ChannelFields,
  channelBody,
} from "@/shared/channels/components/channel-fields";
import { LANGUAGE_NAMES, LANGUAGES, useLanguage, useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useAddChannel } from "../api/alarms";

const NAME_MAX = 63;

interface NamedChannel extends ChannelAddress {
  name: string;
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
  const { mutate, ...sending } = useAddChannel();
  const save = {
    ...sending,
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
    <EntityDialog<NamedChannel, AlarmChannelInput>
      title={t("addChannel")}
      action={t("save")}
      initial={{ kind: "webhook", language }}
      save={save}
      bodyOf={channelBody}
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
  const isChat = (Form.useWatch("kind") ?? "webhook") !== "webhook";
  return (
    <>
      <ChannelFields>
        <Form.Item
          name="name"
          label={t("name")}
          rules={[{ required: true, whitespace: true, message: t("nameMissing") }]}
        >
          <Input maxLength={NAME_MAX} autoComplete="off" />
        </Form.Item>
      </ChannelFields>
      {isChat && (
        <Form.Item name="language" label={t("language")}>
          <Select options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))} />
        </Form.Item>
      )}
    </>
  );
}
