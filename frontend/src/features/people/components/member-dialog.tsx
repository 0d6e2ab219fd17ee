import { Form, Input, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { Group, MemberInput } from "@/shared/api/types";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useAddMember } from "../api/use-members";
import { GROUP_ROLES, type GroupRole } from "../model/roles";

/** Names a person exactly: heads of groups do not see everybody's names. */
export function MemberDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useTranslation("people");
  return (
    <EntityDialog<MemberInput, MemberInput>
      action={t("member.add")}
      title={t("member.addTo", { name: group.title })}
      initial={{ role: "developer" }}
      sender={useAddMember(group.id)}
      bodyOf={(fields) => fields}
      onClose={onClose}
    >
      <Form.Item
        name="username"
        label={t("person.username")}
        extra={t("member.usernameAbout")}
        rules={[{ required: true, message: t("member.usernameMissing") }]}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={32} />
      </Form.Item>
      <RoleField />
    </EntityDialog>
  );
}

function RoleField() {
  const { t } = useTranslation("people");
  const role: GroupRole = Form.useWatch("role") ?? "developer";
  return (
    <Form.Item name="role" label={t("column.role")} extra={t(`roleAbout.${role}`)}>
      <Select options={GROUP_ROLES.map((value) => ({ value, label: t(`role.${value}`) }))} />
    </Form.Item>
  );
}
