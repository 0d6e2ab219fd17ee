import { CloudUploadOutlined } from "@ant-design/icons";
import { Button, Form, Input, Select } from "antd";
import { useState } from "react";
import type { PublicationInput } from "@/shared/api/types";
import { titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
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
  type PublishedSource,
  publicationInput,
  sourceOf,
} from "../model/dataset";
import { SourceFields } from "./publication-source";
import { VersionWords } from "./versions-drawer";

interface PublishButtonProps {
  /** What becomes a version: a folder of a volume, or the outputs of a job. */
  folder: PublishedSource;
  /** What people call it. */
  title: string;
}

/** Publishes a folder as the next version of a data set; for those who manage data sets of a group. */
export function PublishButton({ folder, title }: PublishButtonProps) {
  const { t } = useTranslation("datasets");
  const [isOpen, setOpen] = useState(false);
  if (!useMayPublish()) return null;
  return (
    <>
      <Button icon={<CloudUploadOutlined aria-hidden />} onClick={() => setOpen(true)}>
        {t("publish.action")}
      </Button>
      {isOpen && (
        <PublishDialog
          folder={folder}
          title={t("publish.title", { title })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** Publishes files of which the dialog asks where they lie. */
export function PublishFilesButton() {
  const { t } = useTranslation("datasets");
  const [isOpen, setOpen] = useState(false);
  if (!useMayPublish()) return null;
  return (
    <>
      <Button icon={<CloudUploadOutlined aria-hidden />} onClick={() => setOpen(true)}>
        {t("publish.anyAction")}
      </Button>
      {isOpen && <PublishDialog title={t("publish.anyAction")} onClose={() => setOpen(false)} />}
    </>
  );
}

function useMayPublish(): boolean {
  const me = useMe();
  return isGroupAdmin(me) || isPlatformAdmin(me);
}

interface PublishDialogProps {
  /** What becomes a version; the dialog asks where it is not given. */
  folder?: PublishedSource;
  title: string;
  onClose: () => void;
}

function PublishDialog({ folder, title, onClose }: PublishDialogProps) {
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
            title={title}
            action={t("publish.save")}
            initial={{ dataset: managed[0] ?? NEW_DATASET }}
            save={save}
            bodyOf={(form) => publicationInput(folder ?? sourceOf(form), form)}
            onClose={onClose}
          >
            <p className="second">{t("publish.about")}</p>
            {!folder && <SourceFields />}
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
