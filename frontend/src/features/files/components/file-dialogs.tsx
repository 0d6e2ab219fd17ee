/** What opens above the page of files; loaded with the first of them. */
import { Link } from "@tanstack/react-router";
import { Button, Drawer, Flex, Form, Input, Modal } from "antd";
import type { TrashedFile, Volume } from "@/shared/api/types";
import { formatBytes } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useOwnSort } from "@/shared/lists/api/address";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { CodeBlock } from "@/shared/ui/code-block";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { EmptyState, useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import {
  useCreateFolder,
  useMoveFile,
  useRemoveFiles,
  useRestoreFiles,
  useTrashedFiles,
} from "../api/files";
import { folderOf, isFileName, joined, nameOf, type sftpLines, shownPath } from "../model/paths";
import styles from "./files.module.css";
import { FolderField } from "./folder-tree";

interface FileNameFields {
  name: string;
}

interface NewFolderDialogProps {
  volume: string;
  folder: string;
  onClose: () => void;
}

export function NewFolderDialog({ volume, folder, onClose }: NewFolderDialogProps) {
  const { t } = useTranslation("files");
  return (
    <EntityDialog<FileNameFields, string>
      title={t("newFolder.action")}
      action={t("newFolder.create")}
      initial={{ name: "" }}
      save={useCreateFolder(volume)}
      bodyOf={({ name }) => joined(folder, name)}
      onClose={onClose}
    >
      <FileNameItem />
    </EntityDialog>
  );
}

interface FileDialogProps {
  volume: string;
  path: string;
  onClose: () => void;
}

export function RenameDialog({ volume, path, onClose }: FileDialogProps) {
  const { t } = useTranslation("files");
  return (
    <EntityDialog<FileNameFields, { path: string; to: string }>
      title={t("rename.title", { name: shownPath(nameOf(path)) })}
      action={t("rename.action")}
      initial={{ name: shownPath(nameOf(path)) }}
      save={useMoveFile(volume)}
      bodyOf={({ name }) => ({ path, to: joined(folderOf(path), name) })}
      onClose={onClose}
    >
      <FileNameItem />
    </EntityDialog>
  );
}

/** Moves into a folder that is there. */
export function MoveDialog({
  volume,
  path,
  onClose,
}: Omit<FileDialogProps, "volume"> & { volume: Volume }) {
  const { t } = useTranslation("files");
  return (
    <EntityDialog<{ folder: string }, { path: string; to: string }>
      title={t("move.title", { name: shownPath(nameOf(path)) })}
      action={t("move.action")}
      initial={{ folder: folderOf(path) }}
      save={useMoveFile(volume.id)}
      bodyOf={({ folder }) => ({ path, to: joined(folder, nameOf(path)) })}
      onClose={onClose}
    >
      <Form.Item name="folder" label={t("move.folder")}>
        <FolderField volume={volume} />
      </Form.Item>
    </EntityDialog>
  );
}

function FileNameItem() {
  const { t } = useTranslation("files");
  return (
    <Form.Item
      name="name"
      label={t("column.name")}
      rules={[
        {
          validator: (_rule, name: string = "") =>
            isFileName(name) ? Promise.resolve() : Promise.reject(new Error(t("nameWrong"))),
        },
      ]}
    >
      <Input autoComplete="off" spellCheck={false} autoFocus />
    </Form.Item>
  );
}

interface SftpDialogProps {
  lines: readonly ReturnType<typeof sftpLines>[number][];
  onClose: () => void;
}

/** What to type, line by line. */
export function SftpDialog({ lines, onClose }: SftpDialogProps) {
  const { t } = useTranslation("files");
  return (
    <Modal open title={t("sftp.title")} footer={null} onCancel={onClose}>
      <div className="stack">
        {lines.map(({ key, text }) => (
          <div key={key}>
            <div>{t(`sftp.${key}`)}</div>
            <CodeBlock label={t(`sftp.${key}`)} text={text} />
          </div>
        ))}
        <div>
          {t("sftp.about")} <Link to="/ssh-keys">{t("sftp.keys")}</Link>
        </div>
      </div>
    </Modal>
  );
}

interface TrashDrawerProps {
  volume: Volume;
  onClose: () => void;
}

/** What was deleted in the last days, and how it comes back. */
export function TrashDrawer({ volume, onClose }: TrashDrawerProps) {
  const { t } = useTranslation("files");
  const trashed = useTrashedFiles(volume.id);
  const empty = useRemoveFiles(volume.id);
  const mayWrite = volume.access === "write";
  const columns = useTrashColumns(volume.id, mayWrite);
  return (
    <Drawer
      open
      size={820}
      title={t("trash.title")}
      onClose={onClose}
      extra={
        mayWrite &&
        (trashed.data?.length ?? 0) > 0 && (
          <ConfirmButton<string[]>
            action={t("trash.empty")}
            label={t("trash.empty")}
            question={t("trash.emptyQuestion")}
            isDangerous
            mutation={empty}
            input={[]}
          />
        )
      }
    >
      <p className="second">{t("trash.about")}</p>
      <ListOfQuery
        id="trash"
        order={useOwnSort()}
        query={trashed}
        label={t("trash.title")}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("trash.nothing.title")} text={t("trash.nothing.text")} />}
      />
    </Drawer>
  );
}

function useTrashColumns(volume: string, mayWrite: boolean): ListColumn<TrashedFile>[] {
  const { t } = useTranslation("files");
  const language = useLanguage();
  const columns: ListColumn<TrashedFile>[] = [
    {
      key: "path",
      title: t("trash.path"),
      value: ({ path }) => path,
      cell: ({ path }) => <span className={styles.path}>{shownPath(path)}</span>,
    },
    {
      key: "size",
      title: t("column.size"),
      isShort: true,
      value: ({ kind, size }) => (kind === "file" ? size : null),
      cell: ({ kind, size }) => (kind === "file" ? formatBytes(size, language) : "–"),
    },
    {
      key: "at",
      title: t("trash.at"),
      isShort: true,
      value: ({ trashed_at }) => trashed_at,
      cell: ({ trashed_at, trashed_by }) => (
        <>
          <Age at={trashed_at} />
          {trashed_by && <span className="second">{trashed_by}</span>}
        </>
      ),
    },
  ];
  if (!mayWrite) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      isShort: true,
      cell: (entry) => <TrashActions volume={volume} entry={entry} />,
    },
  ];
}

function TrashActions({ volume, entry: { id, path } }: { volume: string; entry: TrashedFile }) {
  const { t } = useTranslation("files");
  const showProblem = useProblemMessage();
  const restore = useRestoreFiles(volume);
  const remove = useRemoveFiles(volume);
  return (
    <Flex gap={8} wrap>
      <Button
        size="small"
        aria-label={t("trash.restoreOf", { path: shownPath(path) })}
        loading={restore.isPending}
        onClick={() => restore.mutate([id], { onError: showProblem })}
      >
        {t("trash.restore")}
      </Button>
      <ConfirmButton<string[]>
        action={t("trash.remove")}
        label={t("trash.removeOf", { path: shownPath(path) })}
        question={t("trash.removeQuestion")}
        isDangerous
        mutation={remove}
        input={[id]}
      />
    </Flex>
  );
}
