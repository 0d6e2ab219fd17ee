import { Form, Input, Select } from "antd";
import type { Person, PersonInput, PersonPassword } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog, EntityName, EntityTitle } from "@/shared/ui/entity-dialog";
import { PLATFORM_ROLES, type PlatformRole, USERNAME, useSavePerson } from "../api/people";

interface PersonDialogProps {
  /** The one to change; none adds another. */
  person: Person | undefined;
  onAdded: (person: PersonPassword) => void;
  onClose: () => void;
}

/** Names of a person, and the role on the whole platform. */
export function PersonDialog({ person, onAdded, onClose }: PersonDialogProps) {
  const { t } = useTranslation("people");
  return (
    <EntityDialog<PersonInput, PersonInput>
      action={t("person.save")}
      title={person ? t("person.editOf", { name: person.username }) : t("person.add")}
      initial={person ? personForm(person) : { platform_role: "" }}
      save={useSavePerson(person?.id, onAdded)}
      bodyOf={(fields) => fields}
      onClose={onClose}
    >
      {!person && (
        <EntityName
          name="username"
          label={t("person.username")}
          about={t("person.usernameAbout")}
          pattern={USERNAME}
          message={t("person.usernameWrong")}
          maxLength={32}
        />
      )}
      <EntityTitle
        name="display_name"
        label={t("person.displayName")}
        message={t("person.displayNameMissing")}
      />
      <Form.Item
        name="email"
        label={t("person.email")}
        extra={t("person.emailAbout")}
        rules={[{ type: "email", message: t("person.emailWrong") }]}
      >
        <Input autoComplete="off" />
      </Form.Item>
      <PlatformRoleField />
    </EntityDialog>
  );
}

function personForm({ display_name, email, platform_role }: Person): Partial<PersonInput> {
  return { display_name, email, platform_role: platform_role as PlatformRole };
}

function PlatformRoleField() {
  const { t } = useTranslation("people");
  const role: PlatformRole = Form.useWatch("platform_role") ?? "";
  return (
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
  );
}
