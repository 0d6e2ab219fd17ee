import { Button, Flex, Form, Input, Radio, Select } from "antd";
import { useState } from "react";
import type { Dataset, DatasetInput } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { formatNumber } from "@/shared/i18n/format";
import { titleOf, titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe, usePlaceOf } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { CopyButton } from "@/shared/ui/code-block";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { useAllDatasets, useRemoveDataset, useSaveDataset } from "../api/datasets";
import { DATASET_NAME, type DatasetForm, datasetForm, datasetInput } from "../model/dataset";
import { PublishFilesButton } from "./publish-button";
import { MissingOn, VersionPath, VersionsDrawer } from "./versions-drawer";

/** The data sets that work may read: all see where they are mounted, admins name and share them. */
export function DatasetsPage() {
  const { t } = useTranslation("datasets");
  const isManager = isPlatformAdmin(useMe());
  const [edited, setEdited] = useState<Dataset | "new" | null>(null);
  const { search, change } = useAddress();
  const opened = useAllDatasets().data?.find(({ id }) => id === search.dataset);
  const actions = (
    <>
      <PublishFilesButton />
      {isManager && (
        <Button type="primary" onClick={() => setEdited("new")}>
          {t("add")}
        </Button>
      )}
    </>
  );
  return (
    <>
      <PageHeader
        title={t("title")}
        about={t("about", { path: usePlaceOf()("/data") })}
        actions={actions}
      />
      <DatasetTable
        isManager={isManager}
        onEdit={setEdited}
        onOpen={({ id }) => change({ dataset: id })}
      />
      {opened && (
        <VersionsDrawer
          dataset={opened}
          isManager={isManager}
          onClose={() => change({ dataset: undefined })}
        />
      )}
      {edited && (
        <DatasetDialog
          dataset={edited === "new" ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}

interface DatasetTableProps {
  isManager: boolean;
  onEdit: (dataset: Dataset) => void;
  onOpen: (dataset: Dataset) => void;
}

function DatasetTable({ isManager, onEdit, onOpen }: DatasetTableProps) {
  const { t } = useTranslation("datasets");
  const datasets = useAllDatasets();
  const reading = useDatasetColumns(onOpen);
  const managing = useDatasetAdminColumns();
  const acting = useActionColumn(onEdit);
  const manages = datasets.data?.some(({ may_manage }) => may_manage);
  return (
    <ListOfQuery
      id="datasets"
      query={datasets}
      canRetry={false}
      label={t("title")}
      columns={[...reading, ...(manages ? [...managing, ...acting] : [])]}
      rowKey={({ id }) => id}
      empty={
        <EmptyState
          title={t("empty.title")}
          text={t(isManager ? "empty.textManager" : "empty.text")}
        />
      }
    />
  );
}

function useDatasetColumns(onOpen: (dataset: Dataset) => void): ListColumn<Dataset>[] {
  const { t } = useTranslation("datasets");
  const language = useLanguage();
  const placeOf = usePlaceOf();
  const placed = ({ name }: Dataset) => placeOf(`/data/${name}`);
  return [
    {
      key: "name",
      title: t("column.name"),
      value: ({ name }) => name,
      cell: ({ name, description, owner }) => (
        <>
          <strong>{name}</strong>
          {description && <p className="second note">{description}</p>}
          {owner && (
            <p className="second note">{t("ownedBy", { group: titleOf(owner, language) })}</p>
          )}
        </>
      ),
    },
    {
      key: "mount",
      title: t("column.mount"),
      value: placed,
      cell: (dataset) => (
        <Flex component="span" align="center" gap={4} style={{ display: "inline-flex" }}>
          <code className="mono">{placed(dataset)}</code>
          <CopyButton text={placed(dataset)} what={t("column.mount")} />
        </Flex>
      ),
    },
    {
      key: "newest",
      title: t("column.newest"),
      value: ({ newest }) => newest,
      cell: (dataset) => (
        <Button
          size="small"
          aria-label={t("versionsTitle", { name: dataset.name })}
          onClick={() => onOpen(dataset)}
        >
          {dataset.newest === null ? t("noVersion") : t("version", { number: dataset.newest })}
        </Button>
      ),
    },
  ];
}

function useDatasetAdminColumns(): ListColumn<Dataset>[] {
  const { t } = useTranslation("datasets");
  const language = useLanguage();
  const readers = ({ is_for_everybody, groups }: Dataset) => {
    if (is_for_everybody) return t("everybody");
    if (!groups) return "–";
    return groups.map((group) => titleOf(group, language)).join(", ") || t("nobody");
  };
  return [
    {
      key: "path",
      title: t("column.path"),
      value: ({ path }) => path ?? null,
      cell: ({ path, newest, missing_on, may_manage }) => (
        <>
          {may_manage && path === null && newest !== null ? (
            t("published")
          ) : (
            <code className="mono">{path ?? "–"}</code>
          )}
          <MissingOn nodes={missing_on ?? []} />
        </>
      ),
    },
    {
      key: "readers",
      title: t("column.readers"),
      value: readers,
      cell: readers,
    },
    {
      key: "uses",
      title: t("column.uses"),
      value: ({ workloads }) => workloads,
      cell: ({ workloads }) => (workloads === null ? "–" : formatNumber(workloads, language)),
    },
  ];
}

function useActionColumn(onEdit: (dataset: Dataset) => void): ListColumn<Dataset>[] {
  const { t } = useTranslation("datasets");
  return [
    {
      key: "action",
      title: t("column.action"),
      cell: (dataset) =>
        dataset.may_manage && <DatasetActions dataset={dataset} onEdit={() => onEdit(dataset)} />,
    },
  ];
}

interface DatasetActionsProps {
  dataset: Dataset;
  onEdit: () => void;
}

function DatasetActions({ dataset: { id, name }, onEdit }: DatasetActionsProps) {
  const { t } = useTranslation("datasets");
  const remover = useRemoveDataset();
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("editTitle", { name })} onClick={onEdit}>
        {t("edit")}
      </Button>
      <RemoveButton
        id={id}
        label={t("removeTitle", { name })}
        question={t("removeQuestion")}
        mutation={remover}
      />
    </Flex>
  );
}

interface DatasetDialogProps {
  /** The one to change; none adds another. */
  dataset: Dataset | undefined;
  onClose: () => void;
}

/** Names a folder that every node has, and the groups that may read it. */
function DatasetDialog({ dataset, onClose }: DatasetDialogProps) {
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
