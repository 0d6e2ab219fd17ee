import { Checkbox, Form, Input, InputNumber, Radio, Select } from "antd";
import type { Volume, VolumeInput } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe, usePlaceOf } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import { useSaveVolume } from "../api/volumes";
import { VOLUME_NAME, type VolumeForm, volumeForm, volumeInput, WRITERS } from "../model/volume";

const QUOTA_GIB = 100;

interface VolumeDialogProps {
  /** The one to change; none makes another. */
  volume: Volume | undefined;
  onClose: () => void;
}

/** A new volume of a group, or the quota and the rights of one; a home has a quota only. */
export function VolumeDialog({ volume, onClose }: VolumeDialogProps) {
  const { t } = useTranslation("volumes");
  const me = useMe();
  const placeOf = usePlaceOf();
  const save = useSaveVolume(volume?.id);
  const isHome = volume?.kind === "home";
  const isBoss = isPlatformAdmin(me);
  return (
    <EntityDialog<VolumeForm, VolumeInput>
      action={t("save")}
      title={volume ? t("changeNamed", { name: volume.name }) : t("create")}
      initial={
        volume
          ? volumeForm(volume)
          : { quota_gib: QUOTA_GIB, writers: "developer", is_writable_below: false }
      }
      save={save}
      bodyOf={(form) => volumeInput({ ...(volume && volumeForm(volume)), ...form })}
      onClose={onClose}
    >
      {!volume && <GroupField />}
      {!volume && (
        <EntityName
          label={t("column.name")}
          about={t("nameAbout", { path: placeOf("/volumes/papers") })}
          pattern={VOLUME_NAME}
          message={t("nameWrong")}
        />
      )}
      {!isHome && (
        <Form.Item name="description" label={t("description")}>
          <Input maxLength={300} autoComplete="off" />
        </Form.Item>
      )}
      <Form.Item
        name="quota_gib"
        label={t("quota")}
        extra={t(isBoss ? "quotaAboutBoss" : "quotaAbout")}
        rules={[{ required: true, type: "number", min: isBoss ? 0 : 0.001 }]}
      >
        <InputNumber style={{ width: "100%" }} step={10} />
      </Form.Item>
      {!isHome && (
        <>
          <Form.Item name="writers" label={t("writers")} extra={t("writersAbout")}>
            <Radio.Group
              options={WRITERS.map((value) => ({ value, label: t(`writer.${value}`) }))}
            />
          </Form.Item>
          <Form.Item name="is_writable_below" valuePropName="checked">
            <Checkbox>{t("writableBelow")}</Checkbox>
          </Form.Item>
        </>
      )}
    </EntityDialog>
  );
}

/** The groups in which I may make volumes. */
function GroupField() {
  const language = useLanguage();
  const { t } = useTranslation("volumes");
  const me = useMe();
  const isBoss = isPlatformAdmin(me);
  const all = useGroups(isBoss).data ?? [];
  const mine = me.memberships
    .filter(({ role }) => role === "group_admin")
    .map(({ group }) => group);
  const groups = isBoss ? all : mine;
  return (
    <Form.Item
      name="group"
      label={t("group")}
      extra={t("groupAbout")}
      rules={[{ required: true, message: t("groupMissing") }]}
    >
      <Select showSearch={{ optionFilterProp: "label" }} options={titleOptions(groups, language)} />
    </Form.Item>
  );
}
