import { WarningOutlined } from "@ant-design/icons";
import { Button, Flex } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Dataset } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { CopyButton } from "@/shared/ui/code-block";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, EntityTable } from "@/shared/ui/data-table";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { useAllDatasets, useDatasetUses, useRemoveDataset } from "../api/datasets";
import { DatasetDialog } from "./dataset-dialog";

/** Nodes without a data set that are named; the rest is counted. */
const NODES_NAMED = 4;

/** The data sets that work may read: all see where they are mounted, admins name and share them. */
export function DatasetsPage() {
  const { t } = useTranslation("datasets");
  const isManager = isPlatformAdmin(useMe());
  const [edited, setEdited] = useState<Dataset | "new" | null>(null);
  const add = (
    <Button type="primary" onClick={() => setEdited("new")}>
      {t("add")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={isManager && add} />
      <DatasetTable isManager={isManager} onEdit={setEdited} />
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
}

function DatasetTable({ isManager, onEdit }: DatasetTableProps) {
  const { t } = useTranslation("datasets");
  const datasets = useAllDatasets();
  const reading = useDatasetColumns();
  const managing = useDatasetAdminColumns(isManager, onEdit);
  return (
    <EntityTable
      query={datasets}
      canRetry={false}
      label={t("title")}
      columns={isManager ? [...reading, ...managing] : reading}
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

function useDatasetColumns(): Column<Dataset>[] {
  const { t } = useTranslation("datasets");
  return [
    {
      key: "name",
      title: t("column.name"),
      cell: ({ name, description }) => (
        <>
          <strong>{name}</strong>
          {description && <p className="second note">{description}</p>}
        </>
      ),
    },
    {
      key: "mount",
      title: t("column.mount"),
      cell: ({ name }) => (
        <Flex component="span" align="center" gap={4} style={{ display: "inline-flex" }}>
          <code className="mono">/data/{name}</code>
          <CopyButton text={`/data/${name}`} what={t("column.mount")} />
        </Flex>
      ),
    },
  ];
}

/** Warns that nodes do not have the folder: work that reads it cannot start there. */
function MissingOn({ nodes }: { nodes: readonly string[] }) {
  const { t } = useTranslation("datasets");
  if (nodes.length === 0) return null;
  const names = nodes.slice(0, NODES_NAMED).join(", ");
  const rest = nodes.length - NODES_NAMED;
  return (
    <p className="second note">
      <WarningOutlined aria-hidden style={{ color: "var(--state-stopping)" }} />{" "}
      {rest > 0
        ? t("missingOnMore", { names, count: rest })
        : t("missingOn", { names, count: nodes.length })}
    </p>
  );
}

function useDatasetAdminColumns(
  isManager: boolean,
  onEdit: (dataset: Dataset) => void,
): Column<Dataset>[] {
  const { t } = useTranslation("datasets");
  const language = useLanguage();
  const uses = useDatasetUses(isManager).data;
  const used = (name: string) => uses?.get(name)?.workloads ?? 0;
  return [
    {
      key: "path",
      title: t("column.path"),
      cell: ({ name, path }) => (
        <>
          <code className="mono">{path}</code>
          <MissingOn nodes={uses?.get(name)?.missing_on ?? []} />
        </>
      ),
    },
    {
      key: "readers",
      title: t("column.readers"),
      cell: ({ is_for_everybody, groups }) => {
        if (is_for_everybody) return t("everybody");
        return groups?.map((group) => titleOf(group, language)).join(", ") || t("nobody");
      },
    },
    {
      key: "uses",
      title: t("column.uses"),
      cell: ({ name }) => (uses ? formatNumber(used(name), language) : "–"),
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (dataset) => (
        <DatasetActions
          dataset={dataset}
          uses={used(dataset.name)}
          onEdit={() => onEdit(dataset)}
        />
      ),
    },
  ];
}

interface DatasetActionsProps {
  dataset: Dataset;
  uses: number;
  onEdit: () => void;
}

function DatasetActions({ dataset: { id, name }, uses, onEdit }: DatasetActionsProps) {
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
        question={uses > 0 ? t("removeUsed", { count: uses }) : t("removeQuestion")}
        mutation={remover}
      />
    </Flex>
  );
}
