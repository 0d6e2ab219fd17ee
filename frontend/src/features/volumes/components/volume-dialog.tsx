import { Checkbox, Form, Input, InputNumber, Modal, Radio, Select } from "antd";
import type { GroupLimit, Volume, VolumeInput } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { titleOf, titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe, usePlaceOf } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import { QueryBoundary } from "@/shared/ui/query-states";
import { WorkloadLink } from "@/shared/workload/components/workload-link";
import { useSaveVolume, useSetGroupSpace, useVolumeUsers } from "../api/volumes";
import {
  type GroupSpaceForm,
  groupSpaceForm,
  groupSpaceInput,
  VOLUME_NAME,
  type VolumeForm,
  volumeForm,
  volumeInput,
  WRITERS,
} from "../model/volume";

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

/** What the volumes of a group may have together. */
export function GroupSpaceDialog({ limits, onClose }: { limits: GroupLimit; onClose: () => void }) {
  const { t } = useTranslation("volumes");
  const language = useLanguage();
  const save = useSetGroupSpace(limits.group.id);
  return (
    <EntityDialog<GroupSpaceForm, number | null>
      action={t("save")}
      title={t("space.changeOf", { group: titleOf(limits.group, language) })}
      initial={groupSpaceForm(limits)}
      save={save}
      bodyOf={groupSpaceInput}
      onClose={onClose}
    >
      <Form.Item name="most_gib" label={t("space.most")} extra={t("space.mostAbout")}>
        <InputNumber min={0} step={100} placeholder={t("unlimited")} style={{ width: "100%" }} />
      </Form.Item>
    </EntityDialog>
  );
}

/** The notebooks, jobs and apps that mount a volume; work that I may not see is counted only. */
export function VolumeUsers({ volume, onClose }: { volume: Volume; onClose: () => void }) {
  const { t } = useTranslation("volumes");
  const users = useVolumeUsers(volume.id);
  return (
    <Modal open title={t("usersTitle", { name: volume.name })} footer={null} onCancel={onClose}>
      <QueryBoundary query={users} rows={3}>
        {(found) => (
          <ul>
            {found.map(({ owner, ...work }) => (
              <li key={work.id}>
                <WorkloadLink workload={work} />{" "}
                <span className="second">{owner.display_name || owner.username}</span>
              </li>
            ))}
            {volume.uses > found.length && (
              <li className="second">{t("otherUsers", { count: volume.uses - found.length })}</li>
            )}
          </ul>
        )}
      </QueryBoundary>
    </Modal>
  );
}
