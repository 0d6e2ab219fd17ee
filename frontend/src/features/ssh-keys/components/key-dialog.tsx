import { Form, Input } from "antd";
import type { SshKeyInput } from "@/shared/api/types";
import { useAddSshKey } from "@/shared/cluster/api/credentials";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";

/** Takes the line of a `.pub` file. */
export function KeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("ssh-keys");
  return (
    <EntityDialog<SshKeyInput, SshKeyInput>
      title={t("add")}
      action={t("add")}
      initial={{}}
      save={useAddSshKey()}
      bodyOf={(body) => body}
      onClose={onClose}
    >
      <Form.Item
        name="name"
        label={t("name")}
        rules={[{ required: true, max: 100, message: t("nameMissing") }]}
      >
        <Input autoComplete="off" placeholder={t("namePlaceholder")} />
      </Form.Item>
      <Form.Item
        name="public_key"
        label={t("key")}
        extra={t("keyAbout")}
        rules={[{ required: true, message: t("keyMissing") }]}
      >
        <Input.TextArea rows={4} spellCheck={false} placeholder="ssh-ed25519 AAAA…" />
      </Form.Item>
    </EntityDialog>
  );
}
