import { Form, InputNumber, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { MemberLimitInput } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMembers, useSetMemberLimit } from "../api/use-member-limits";
import { memberLimitOf, type OneMemberForm } from "../model/members";

interface OneMemberDialogProps {
  /** What is known of it already; the limit of the same member in the same group is replaced. */
  initial: Partial<OneMemberForm>;
  onClose: () => void;
}

export function OneMemberDialog({ initial, onClose }: OneMemberDialogProps) {
  const { t } = useTranslation("quotas");
  const save = useSetMemberLimit();
  const groups = useGroups();
  return (
    <EntityDialog<OneMemberForm, MemberLimitInput>
      action={t("save")}
      title={t("member.one")}
      initial={initial}
      sender={save}
      bodyOf={memberLimitOf}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Form.Item
            name="group"
            label={t("column.group")}
            rules={[{ required: true, message: t("groupMissing") }]}
          >
            <Select
              showSearch={{ optionFilterProp: "label" }}
              onChange={() => form.resetFields(["user"])}
              options={groups.data?.map(({ id, title }) => ({ value: id, label: title })) ?? []}
            />
          </Form.Item>
          <MemberField />
          <Form.Item
            name="hours"
            label={t("member.hours")}
            extra={t("member.oneAbout")}
            rules={[{ required: true, message: t("amountMissing") }]}
          >
            <InputNumber min={0.02} style={{ width: "100%" }} />
          </Form.Item>
        </>
      )}
    </EntityDialog>
  );
}

/** Whoever belongs to the chosen group. */
function MemberField() {
  const { t } = useTranslation("quotas");
  const members = useMembers(Form.useWatch<string | undefined>("group"));
  const options = members.data?.map(({ user }) => ({
    value: user.id,
    label: user.display_name ? `${user.display_name} (${user.username})` : user.username,
  }));
  return (
    <Form.Item
      name="user"
      label={t("member.column")}
      rules={[{ required: true, message: t("member.memberMissing") }]}
    >
      <Select
        showSearch={{ optionFilterProp: "label" }}
        loading={members.isLoading}
        options={options ?? []}
      />
    </Form.Item>
  );
}
