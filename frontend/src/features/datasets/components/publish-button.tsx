import { CloudUploadOutlined } from "@ant-design/icons";
import { Button, Form, Input, Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { PublicationInput } from "@/shared/api/types";
import { titleOptions, useLanguage } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isGroupAdmin, isPlatformAdmin } from "@/shared/session/roles";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useAllDatasets, usePublish } from "../api/datasets";
import {
  DATASET_NAME,
  NEW_DATASET,
  type PublicationForm,
  type PublishedFolder,
  publicationInput,
} from "../model/dataset";
import { VersionWords } from "./versions-drawer";

interface PublishButtonProps {
  /** What becomes a version: a folder of a volume, or the outputs of a job. */
  folder: PublishedFolder;
  /** What people call it. */
  title: string;
}

/** Publishes a folder as the next version of a data set; for those who manage data sets of a group. */
export function PublishButton({ folder, title }: PublishButtonProps) {
  const { t } = useTranslation("datasets");
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  if (!isGroupAdmin(me) && !isPlatformAdmin(me)) return null;
  return (
    <>
      <Button icon={<CloudUploadOutlined aria-hidden />} onClick={() => setOpen(true)}>
        {t("publish.action")}
      </Button>
      {isOpen && <PublishDialog folder={folder} title={title} onClose={() => setOpen(false)} />}
    </>
  );
}

function PublishDialog({ folder, title, onClose }: PublishButtonProps & { onClose: () => void }) {
  const { t } = useTranslation("datasets");
  const messages = useMessages();
  const save = usePublish((name) => messages.success(t("publish.begun", { name })));
  const datasets = useAllDatasets();
  return (
    <QueryBoundary query={datasets}>
      {(all) => {
        const managed = all.filter(({ may_manage }) => may_manage).map(({ name }) => name);
        return (
          <EntityDialog<PublicationForm, PublicationInput>
            title={t("publish.title", { title })}
            action={t("publish.save")}
            initial={{ dataset: managed[0] ?? NEW_DATASET }}
            save={save}
            bodyOf={(form) => publicationInput(folder, form)}
            onClose={onClose}
          >
            <p className="second">{t("publish.about")}</p>
            <Form.Item name="dataset" label={t("publish.dataset")}>
              <Select
                showSearch={{ optionFilterProp: "label" }}
                options={[
                  ...managed.map((name) => ({ value: name, label: name })),
                  { value: NEW_DATASET, label: t("publish.newDataset") },
                ]}
              />
            </Form.Item>
            <NewDatasetFields />
            <VersionWords />
          </EntityDialog>
        );
      }}
    </QueryBoundary>
  );
}

/** Name and group of a data set that is not there yet. */
function NewDatasetFields() {
  const { t } = useTranslation("datasets");
  const language = useLanguage();
  const { memberships } = useMe();
  const groups = memberships.filter(({ role }) => role === "group_admin").map(({ group }) => group);
  if (Form.useWatch("dataset") !== NEW_DATASET) return null;
  return (
    <>
      <EntityName
        label={t("column.name")}
        about={t("nameAbout")}
        pattern={DATASET_NAME}
        message={t("nameWrong")}
      />
      <Form.Item
        name="group"
        label={t("publish.group")}
        extra={t("publish.groupAbout")}
        initialValue={groups[0]?.id}
        rules={[{ required: true, message: t("publish.groupMissing") }]}
      >
        <Select options={titleOptions(groups, language)} />
      </Form.Item>
      <Form.Item name="description" label={t("column.description")}>
        <Input maxLength={300} autoComplete="off" />
      </Form.Item>
    </>
  );
}
