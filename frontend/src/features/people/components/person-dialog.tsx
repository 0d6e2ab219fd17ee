import { Form, Input, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { Person, PersonChange, PersonInput, PersonPassword } from "@/shared/api/types";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useAddPerson, useChangePerson } from "../api/people";
import { PLATFORM_ROLES, type PlatformRole, USERNAME } from "../model/roles";

interface AddPersonDialogProps {
  onAdded: (person: PersonPassword) => void;
  onClose: () => void;
}

export function AddPersonDialog({ onAdded, onClose }: AddPersonDialogProps) {
  const { t } = useTranslation("people");
  return (
    <EntityDialog<PersonInput, PersonInput>
      action={t("person.save")}
      title={t("person.add")}
      initial={{ platform_role: "" }}
      sender={useAddPerson(onAdded)}
      bodyOf={(fields) => fields}
      onClose={onClose}
    >
      <Form.Item
        name="username"
        label={t("person.username")}
        extra={t("person.usernameAbout")}
        rules={[{ required: true, pattern: USERNAME, message: t("person.usernameWrong") }]}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={32} />
      </Form.Item>
      <PersonFields />
    </EntityDialog>
  );
}

export function ChangePersonDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const { t } = useTranslation("people");
  return (
    <EntityDialog<PersonChange, PersonChange>
      action={t("person.save")}
      title={t("person.editOf", { name: person.username })}
      initial={{
        display_name: person.display_name,
        platform_role: person.platform_role as PlatformRole,
      }}
      sender={useChangePerson(person.id)}
      bodyOf={(fields) => fields}
      onClose={onClose}
    >
      <PersonFields />
    </EntityDialog>
  );
}

function PersonFields() {
  const { t } = useTranslation("people");
  const role: PlatformRole = Form.useWatch("platform_role") ?? "";
  return (
    <>
      <Form.Item
        name="display_name"
        label={t("person.displayName")}
        rules={[{ required: true, whitespace: true, message: t("person.displayNameMissing") }]}
      >
        <Input autoComplete="off" maxLength={100} />
      </Form.Item>
      <Form.Item
        name="platform_role"
        label={t("column.platformRole")}
        extra={t(`platformRoleAbout.${role || "none"}`)}
      >
        <Select
          options={PLATFORM_ROLES.map((value) => ({
            value,
            label: t(`platformRole.${value || "none"}`),
          }))}
        />
      </Form.Item>
    </>
  );
}
