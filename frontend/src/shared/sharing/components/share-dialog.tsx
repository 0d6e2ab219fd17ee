import { Form, Radio, Select } from "antd";
import type { AccessShareInput, WorkloadDetail } from "@/shared/api/types";
import { useGroupMembers } from "@/shared/cluster/api/cluster";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useShare } from "../api/sharing";

/** For how many hours something can be shared; the server takes up to the last. */
const HOURS = [1, 4, 8, 24, 72, 168] as const;
const FIRST: Partial<AccessShareInput> = { access: "view", hours: 24 };

interface ShareDialogProps {
  workload: WorkloadDetail;
  onClose: () => void;
}

/** Whom of the group its owner lets in, how far and for how long. */
export function ShareDialog({ workload, onClose }: ShareDialogProps) {
  const language = useLanguage();
  const { t } = useTranslation("sharing");
  const members = useGroupMembers(workload.group.id);
  const people = (members.data ?? [])
    .filter(({ kind, user }) => kind === "person" && user.id !== workload.owner.id)
    .map(({ user }) => ({
      value: user.id,
      label: user.display_name ? `${user.display_name} (${user.username})` : user.username,
    }));
  return (
    <EntityDialog<AccessShareInput, AccessShareInput>
      title={t("shareTitle", { name: workload.name })}
      action={t("share")}
      initial={FIRST}
      save={useShare(workload)}
      bodyOf={(fields) => fields}
      onClose={onClose}
    >
      <Form.Item
        name="person"
        label={t("person")}
        extra={t("personAbout", { group: titleOf(workload.group, language) })}
        rules={[{ required: true, message: t("personMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          placeholder={t("personHint")}
          loading={members.isPending}
          options={people}
        />
      </Form.Item>
      <Form.Item name="access" label={t("accessLabel")}>
        <Radio.Group
          options={(["view", "full"] as const).map((value) => ({
            value,
            label: t(`accessAbout.${value}`),
          }))}
          style={{ display: "grid", gap: 8 }}
        />
      </Form.Item>
      <Form.Item name="hours" label={t("hours")}>
        <Select options={HOURS.map((hours) => ({ value: hours, label: t(`for.${hours}`) }))} />
      </Form.Item>
    </EntityDialog>
  );
}
