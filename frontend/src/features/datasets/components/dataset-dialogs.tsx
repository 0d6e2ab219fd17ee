import { Form, Input, Radio, Select } from "antd";
import type { Dataset, DatasetInput, PublicationInput } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { useVolumes } from "@/shared/cluster/api/volumes";
import { titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe, usePlaceOf } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useAllDatasets, useObjectStores, usePublish, useSaveDataset } from "../api/datasets";
import {
  DATASET_NAME,
  type DatasetForm,
  datasetForm,
  datasetInput,
  NEW_DATASET,
  type PublicationForm,
  type PublishedSource,
  publicationInput,
  type SourceForm,
  sourceOf,
} from "../model/dataset";
import { VersionPath, VersionWords } from "./versions-drawer";

interface PublishDialogProps {
  /** What becomes a version; the dialog asks where it is not given. */
  folder?: PublishedSource;
  title: string;
  onClose: () => void;
}

/** Asks of which data set the files become a version and, where they are not given, where they lie. */
export function PublishDialog({ folder, title, onClose }: PublishDialogProps) {
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

/** Where the files lie: a folder of a volume or, where there are some for me, an object store. */
export function SourceFields() {
  const { t } = useTranslation("datasets");
  const stores = useObjectStores().data ?? [];
  const source: SourceForm["source"] = Form.useWatch("source") ?? "volume";
  return (
    <>
      <Form.Item
        name="source"
        label={t("publish.source")}
        initialValue="volume"
        hidden={stores.length === 0}
      >
        <Radio.Group
          options={[
            { value: "volume", label: t("publish.ofVolume") },
            { value: "store", label: t("publish.ofStore") },
          ]}
        />
      </Form.Item>
      {source === "store" ? <StoreFields /> : <VolumeFields />}
    </>
  );
}

function VolumeFields() {
  const { t } = useTranslation("datasets");
  const volumes = useVolumes().data ?? [];
  const readable = volumes.filter(
    ({ state, location, access }) =>
      state === "active" && location === "shared" && access !== "none",
  );
  return (
    <>
      <Form.Item
        name="volume"
        label={t("publish.volume")}
        rules={[{ required: true, message: t("publish.volumeMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          options={readable.map(({ id, folder_name }) => ({ value: id, label: folder_name }))}
        />
      </Form.Item>
      <Form.Item name="path" label={t("publish.path")} extra={t("publish.pathAbout")}>
        <Input autoComplete="off" className="mono" />
      </Form.Item>
    </>
  );
}

function StoreFields() {
  const { t } = useTranslation("datasets");
  const stores = useObjectStores().data ?? [];
  const chosen: string | undefined = Form.useWatch("store");
  const prefix = stores.find(({ name }) => name === chosen)?.prefix;
  return (
    <>
      <Form.Item
        name="store"
        label={t("publish.store")}
        initialValue={stores[0]?.name}
        rules={[{ required: true, message: t("publish.storeMissing") }]}
      >
        <Select
          options={stores.map(({ name, bucket }) => ({
            value: name,
            label: t("publish.storeName", { name, bucket }),
          }))}
        />
      </Form.Item>
      <Form.Item name="path" label={t("publish.prefix")} extra={t("publish.prefixAbout")}>
        <Input
          autoComplete="off"
          className="mono"
          prefix={<span className="quiet">{prefix}</span>}
        />
      </Form.Item>
    </>
  );
}

interface DatasetDialogProps {
  /** The one to change; none adds another. */
  dataset: Dataset | undefined;
  onClose: () => void;
}

/** Names a folder that every node has, and the groups that may read it. */
export function DatasetDialog({ dataset, onClose }: DatasetDialogProps) {
  const { t } = useTranslation("datasets");
  const isManager = isPlatformAdmin(useMe());
  const save = useSaveDataset(dataset?.id);
  return (
    <EntityDialog<DatasetForm, DatasetInput>
      action={t("save")}
      title={dataset ? t("editTitle", { name: dataset.name }) : t("add")}
      initial={dataset ? datasetForm(dataset) : { readers: "groups" }}
      save={save}
      bodyOf={(form) => datasetInput(form, isManager)}
      onClose={onClose}
    >
      <EntityName
        label={t("column.name")}
        about={t("nameAbout", { path: usePlaceOf()("/data") })}
        pattern={DATASET_NAME}
        message={t("nameWrong")}
        isFixed={dataset !== undefined}
      />
      {!dataset && <VersionPath />}
      <Form.Item name="description" label={t("column.description")}>
        <Input.TextArea maxLength={300} showCount autoSize={{ minRows: 2, maxRows: 4 }} />
      </Form.Item>
      {isManager && <Readers />}
    </EntityDialog>
  );
}

/** All groups, or some with all groups below them. */
function Readers() {
  const language = useLanguage();
  const { t } = useTranslation("datasets");
  const groups = useGroups();
  const readers: DatasetForm["readers"] = Form.useWatch("readers") ?? "groups";
  return (
    <>
      <Form.Item name="readers" label={t("column.readers")}>
        <Radio.Group
          options={[
            { value: "groups", label: t("someGroups") },
            { value: "everybody", label: t("everybody") },
          ]}
        />
      </Form.Item>
      <Form.Item
        name="groups"
        label={t("groups")}
        extra={t("groupsAbout")}
        hidden={readers === "everybody"}
      >
        <Select
          mode="multiple"
          showSearch={{ optionFilterProp: "label" }}
          options={titleOptions(groups.data, language)}
        />
      </Form.Item>
    </>
  );
}
