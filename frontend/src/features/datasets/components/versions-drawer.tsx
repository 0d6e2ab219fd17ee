import { WarningOutlined } from "@ant-design/icons";
import { Button, Drawer, Flex, Form, Input } from "antd";
import { useState } from "react";
import type { Dataset, DatasetVersion, DatasetVersionInput } from "@/shared/api/types";
import { formatBytes, formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useOwnSort } from "@/shared/lists/api/address";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { CopyButton } from "@/shared/ui/code-block";
import { ConfirmButton, RemoveButton } from "@/shared/ui/confirm-button";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { EmptyState } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import {
  useDatasetVersions,
  useMoveVersion,
  useRemoveVersion,
  useSaveVersion,
} from "../api/datasets";
import {
  isBelow,
  VERSION_ALIAS,
  type VersionForm,
  versionForm,
  versionInput,
} from "../model/dataset";
import { CachesButton, CachesDrawer } from "./dataset-caches";
import { MissingOn, PublicationList } from "./publication-list";

interface VersionsDrawerProps {
  dataset: Dataset;
  /** Adds folders of the nodes, and sees where versions lie. */
  isManager: boolean;
  onClose: () => void;
}

/** The versions of a data set, newest first: what to write in a submission, and who made them. */
export function VersionsDrawer({ dataset, isManager, onClose }: VersionsDrawerProps) {
  const { t } = useTranslation("datasets");
  const [edited, setEdited] = useState<DatasetVersion | "new" | null>(null);
  const [shown, setShown] = useState<number | null>(null);
  const versions = useDatasetVersions(dataset.id);
  const reading = useVersionColumns(dataset.name, setShown);
  const placing = usePlaceColumns();
  const managing = useActionColumns(dataset, setEdited);
  const columns = [
    ...reading,
    ...(dataset.may_manage ? placing : []),
    ...(dataset.may_manage ? managing : []),
  ];
  return (
    <Drawer
      open
      size={dataset.may_manage ? 1040 : 800}
      title={t("versionsTitle", { name: dataset.name })}
      onClose={onClose}
      extra={
        isManager && (
          <Button type="primary" onClick={() => setEdited("new")}>
            {t("addVersion")}
          </Button>
        )
      }
    >
      <p className="second">{t("versionsAbout", { name: dataset.name })}</p>
      {dataset.may_manage && <PublicationList datasetId={dataset.id} />}
      <ListOfQuery
        id="dataset-versions"
        order={useOwnSort()}
        query={versions}
        label={t("versionsTitle", { name: dataset.name })}
        columns={columns}
        rowKey={({ number }) => String(number)}
        empty={<EmptyState title={t("noVersions.title")} text={t("noVersions.text")} />}
      />
      {shown !== null && (
        <CachesDrawer
          version={{ datasetId: dataset.id, number: shown }}
          name={`${dataset.name}@${shown}`}
          onClose={() => setShown(null)}
        />
      )}
      {edited && (
        <VersionDialog
          datasetId={dataset.id}
          version={edited === "new" ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </Drawer>
  );
}

function useVersionColumns(
  dataset: string,
  onCaches: (number: number) => void,
): ListColumn<DatasetVersion>[] {
  const { t } = useTranslation("datasets");
  const language = useLanguage();
  return [
    {
      key: "reference",
      title: t("column.version"),
      value: ({ number }) => number,
      cell: ({ number, alias, note, state, place }) => (
        <>
          <Reference text={`${dataset}@${number}`} />
          {alias && <Reference text={`${dataset}@${alias}`} />}
          {state === "retired" && <p className="second note">{t("retired")}</p>}
          {note && <p className="second note">{note}</p>}
          {place === "storage" && (
            <CachesButton name={`${dataset}@${number}`} onOpen={() => onCaches(number)} />
          )}
        </>
      ),
    },
    {
      key: "size",
      title: t("column.size"),
      isShort: true,
      value: ({ size_bytes }) => size_bytes,
      cell: ({ size_bytes, file_count, changed_at }) => (
        <>
          {size_bytes === null ? "–" : formatBytes(size_bytes, language)}
          {file_count !== null && (
            <p className="second note">
              {t("files", { count: file_count, number: formatNumber(file_count, language) })}
            </p>
          )}
          {changed_at && (
            <p className="second note">
              <WarningOutlined aria-hidden style={{ color: "var(--state-stopping)" }} />{" "}
              {t("changed")} <Age at={changed_at} />
            </p>
          )}
        </>
      ),
    },
    {
      key: "made",
      title: t("column.made"),
      isShort: true,
      value: ({ created_at }) => created_at,
      cell: ({ created_at, made_by }) => (
        <>
          <Age at={created_at} />
          {made_by && <p className="second note">{made_by.display_name || made_by.username}</p>}
        </>
      ),
    },
  ];
}

/** What a submission names to get this version. */
function Reference({ text }: { text: string }) {
  const { t } = useTranslation("datasets");
  return (
    <Flex align="center" gap={4}>
      <code className="mono">{text}</code>
      <CopyButton text={text} what={t("column.version")} />
    </Flex>
  );
}

/** Where versions lie, and how much work uses each. */
function usePlaceColumns(): ListColumn<DatasetVersion>[] {
  const { t } = useTranslation("datasets");
  const language = useLanguage();
  return [
    {
      key: "path",
      title: t("column.path"),
      value: ({ place, path }) => (place === "storage" ? t("published") : (path ?? null)),
      cell: ({ place, path, missing_on }) => (
        <>
          {place === "storage" ? t("published") : <code className="mono">{path}</code>}
          <MissingOn nodes={missing_on ?? []} />
        </>
      ),
    },
    {
      key: "uses",
      title: t("column.uses"),
      isShort: true,
      value: ({ workloads }) => workloads ?? 0,
      cell: ({ workloads }) => formatNumber(workloads ?? 0, language),
    },
  ];
}

function useActionColumns(
  dataset: Dataset,
  onEdit: (version: DatasetVersion) => void,
): ListColumn<DatasetVersion>[] {
  const { t } = useTranslation("datasets");
  return [
    {
      key: "action",
      title: t("column.action"),
      cell: (version) => (
        <VersionActions dataset={dataset} version={version} onEdit={() => onEdit(version)} />
      ),
    },
  ];
}

interface VersionActionsProps {
  dataset: Dataset;
  version: DatasetVersion;
  onEdit: () => void;
}

function VersionActions({
  dataset,
  version: { number, state, place },
  onEdit,
}: VersionActionsProps) {
  const { t } = useTranslation("datasets");
  const mover = useMoveVersion(dataset.id, number);
  const remover = useRemoveVersion(dataset.id);
  const name = `${dataset.name}@${number}`;
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("editTitle", { name })} onClick={onEdit}>
        {t("edit")}
      </Button>
      {state === "ready" ? (
        <ConfirmButton
          action={t("retire")}
          label={t("retireTitle", { name })}
          question={t("retireQuestion")}
          mutation={mover}
          input="retired"
        />
      ) : (
        <ConfirmButton
          action={t("useAgain")}
          label={t("useAgainTitle", { name })}
          question={t("useAgainQuestion")}
          mutation={mover}
          input="ready"
        />
      )}
      <RemoveButton
        id={String(number)}
        label={t("removeTitle", { name })}
        question={t(place === "storage" ? "removePublishedQuestion" : "removeVersionQuestion")}
        mutation={remover}
      />
    </Flex>
  );
}

interface VersionDialogProps {
  datasetId: string;
  /** The one to change; none adds another. */
  version: DatasetVersion | undefined;
  onClose: () => void;
}

function VersionDialog({ datasetId, version, onClose }: VersionDialogProps) {
  const { t } = useTranslation("datasets");
  const save = useSaveVersion(datasetId, version?.number);
  return (
    <EntityDialog<VersionForm, DatasetVersionInput>
      action={t("saveVersion")}
      title={version ? t("version", { number: version.number }) : t("addVersion")}
      initial={version ? versionForm(version) : {}}
      save={save}
      bodyOf={versionInput}
      onClose={onClose}
    >
      {!version && <VersionPath />}
      <VersionWords />
    </EntityDialog>
  );
}

/** What a version is called. */
export function VersionWords() {
  const { t } = useTranslation("datasets");
  return (
    <>
      <Form.Item
        name="alias"
        label={t("column.alias")}
        extra={t("aliasAbout")}
        rules={[{ pattern: VERSION_ALIAS, message: t("aliasWrong") }]}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={32} />
      </Form.Item>
      <Form.Item name="note" label={t("column.note")}>
        <Input.TextArea maxLength={300} showCount autoSize={{ minRows: 2, maxRows: 4 }} />
      </Form.Item>
    </>
  );
}

/** The folder of the nodes that is a version. */
export function VersionPath() {
  const { t } = useTranslation("datasets");
  return (
    <Form.Item
      name="path"
      label={t("column.path")}
      extra={t("pathAbout")}
      rules={[
        {
          required: true,
          validator: (_rule, path: string = "") =>
            isBelow(path) ? Promise.resolve() : Promise.reject(new Error(t("pathWrong"))),
        },
      ]}
    >
      <Input autoComplete="off" spellCheck={false} maxLength={400} placeholder="vision/imagenet" />
    </Form.Item>
  );
}
