import { Form, Input, Modal, Select } from "antd";
import type { Secret, SecretInput } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import { useSaveSecret } from "../api/secrets";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const MINE = "";

interface SecretFormFields {
  name: string;
  owner: string;
  value: string;
}

interface SecretFormProps {
  /** The secret whose value is replaced; none stores a new one. */
  secret: Secret | undefined;
  onClose: () => void;
}

/** A new secret, or a new value; what is typed here is not shown again. */
export function SecretForm({ secret, onClose }: SecretFormProps) {
  const language = useLanguage();
  const { t } = useTranslation("secrets");
  const groups = useMe().memberships.filter(({ role }) => role === "group_admin");
  return (
    <EntityDialog<SecretFormFields, SecretInput>
      title={secret ? t("replaceNamed", { name: secret.name }) : t("add")}
      action={t("save")}
      initial={{ name: secret?.name ?? "", owner: MINE }}
      save={useSaveSecret(secret?.id)}
      bodyOf={({ name, owner, value }) => ({ name, value, group: owner || null })}
      onClose={onClose}
    >
      {!secret && (
        <EntityName
          label={t("name")}
          about={t("nameAbout")}
          pattern={NAME}
          message={t("nameWrong")}
          maxLength={63}
        />
      )}
      {!secret && groups.length > 0 && (
        <Form.Item name="owner" label={t("owner")} extra={t("ownerAbout")}>
          <Select
            options={[
              { value: MINE, label: t("mine") },
              ...groups.map(({ group }) => ({ value: group.id, label: titleOf(group, language) })),
            ]}
          />
        </Form.Item>
      )}
      <Form.Item
        name="value"
        label={t("value")}
        extra={t("valueAbout")}
        rules={[{ required: true, message: t("valueMissing") }]}
      >
        <Input.TextArea
          rows={4}
          spellCheck={false}
          autoComplete="off"
          style={{ fontFamily: "var(--font-mono)" }}
        />
      </Form.Item>
    </EntityDialog>
  );
}

interface SecretInUseProps {
  /** What names it. */
  about: string;
  onDelete: () => void;
  onClose: () => void;
}

/** Asks once more before a secret goes that work may start with. */
export function SecretInUse({ about, onDelete, onClose }: SecretInUseProps) {
  const { t } = useTranslation("secrets");
  const insist = () => {
    onDelete();
    onClose();
  };
  return (
    <Modal
      open
      title={t("inUse")}
      okText={t("deleteAnyway")}
      okButtonProps={{ danger: true }}
      cancelText={t("keep")}
      onOk={insist}
      onCancel={onClose}
    >
      {about}
    </Modal>
  );
}
