import { Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import type { Group, GroupChange, GroupInput } from "@/shared/api/types";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useAddGroup, useRenameGroup } from "../api/use-groups-admin";
import { GROUP_NAME } from "../model/roles";

interface AddGroupDialogProps {
  /** None makes the organisation itself, which is there once. */
  below: Group | null;
  onClose: () => void;
}

export function AddGroupDialog({ below, onClose }: AddGroupDialogProps) {
  const { t } = useTranslation("people");
  return (
    <EntityDialog<GroupInput, GroupInput>
      action={t("group.save")}
      title={below ? t("group.addBelow", { name: below.title }) : t("group.addRoot")}
      initial={{}}
      sender={useAddGroup()}
      bodyOf={(fields) => ({ ...fields, parent: below?.id ?? null })}
      onClose={onClose}
    >
      <Form.Item
        name="name"
        label={t("group.name")}
        extra={t("group.nameAbout")}
        rules={[{ required: true, pattern: GROUP_NAME, message: t("group.nameWrong") }]}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={63} />
      </Form.Item>
      <TitleField />
    </EntityDialog>
  );
}

export function RenameGroupDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useTranslation("people");
  return (
    <EntityDialog<GroupChange, GroupChange>
      action={t("group.save")}
      title={t("group.renameOf", { name: group.title })}
      initial={{ title: group.title }}
      sender={useRenameGroup(group.id)}
      bodyOf={(fields) => fields}
      onClose={onClose}
    >
      <TitleField />
    </EntityDialog>
  );
}

function TitleField() {
  const { t } = useTranslation("people");
  return (
    <Form.Item
      name="title"
      label={t("group.title")}
      rules={[{ required: true, whitespace: true, message: t("group.titleMissing") }]}
    >
      <Input autoComplete="off" maxLength={100} />
    </Form.Item>
  );
}
