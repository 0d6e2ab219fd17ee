import { Button, Flex } from "antd";
import { useState } from "react";
import type { Dataset } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe, usePlaceOf } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { CopyButton } from "@/shared/ui/code-block";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { useAllDatasets, useRemoveDataset } from "../api/datasets";
import { MissingOn } from "./publication-list";
import { PublishFilesButton } from "./publish-button";

const LaterVersionsDrawer = later(async () => (await import("./versions-drawer")).VersionsDrawer);
const LaterDatasetDialog = later(async () => (await import("./dataset-dialogs")).DatasetDialog);

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
        <LaterVersionsDrawer
          dataset={opened}
          isManager={isManager}
          onClose={() => change({ dataset: undefined })}
        />
      )}
      {edited && (
        <LaterDatasetDialog
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
      cell: (dataset) => {
        const { name, newest } = dataset;
        const shown = newest === null ? t("noVersion") : t("version", { number: newest });
        return (
          <Button
            size="small"
            aria-label={t("versionsOf", { shown, name })}
            onClick={() => onOpen(dataset)}
          >
            {shown}
          </Button>
        );
      },
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
