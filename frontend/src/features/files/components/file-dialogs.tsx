import { CodeOutlined, FolderOpenOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { App, Button, Form, Input, Modal } from "antd";
import { useState } from "react";
import { ProblemError, readProblem } from "@/shared/api/problem";
import type { FileEntry, Volume } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import type { Bulk } from "@/shared/lists/components/bulk-bar";
import { useConfig, usePlaceOf } from "@/shared/session/me";
import { CodeBlock } from "@/shared/ui/code-block";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { useProblemMessage } from "@/shared/ui/query-states";
import {
  archiveAddress,
  downloadEntries,
  useCreateFolder,
  useMoveFile,
  useMoveFiles,
  useRestoreFiles,
  useTrashFiles,
} from "../api/files";
import {
  folderOf,
  isFileName,
  isOpened,
  joined,
  nameOf,
  PAGE_SIZE,
  sftpLines,
  shownPath,
} from "../model/paths";
import { FolderTree } from "./folder-tools";

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
export function MoveDialog({ volume, path, onClose }: Omit<FileDialogProps, "volume"> & OfVolume) {
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

interface OfVolume {
  volume: Volume;
}

interface FolderFieldProps extends OfVolume {
  /** The path of the chosen folder; a form gives both. */
  value?: string;
  onChange?: (path: string) => void;
}

/** A folder of the volume, chosen in its tree. */
function FolderField({ volume, value = "", onChange = () => {} }: FolderFieldProps) {
  const top = useTopName(volume);
  return (
    <>
      <FolderTree volume={volume.id} top={top} path={value} onOpen={onChange} />
      <div role="status">
        <FolderOpenOutlined aria-hidden /> {shownPath(value) || top}
      </div>
    </>
  );
}

/** What the topmost folder of a volume is called. */
export function useTopName({ kind, name }: Volume): string {
  const { t } = useTranslation("files");
  return kind === "home" ? t("home") : name;
}

interface ManyFiles extends OfVolume {
  folder: string;
  snapshot: string | undefined;
  mayWrite: boolean;
}

/** What can be done with many entries of a folder at once. */
export function useFileBulk({ volume, folder, snapshot, mayWrite }: ManyFiles): Bulk<FileEntry> {
  const { t } = useTranslation("files");
  const messages = useMessages();
  const place = usePlaceOf()(volume.mount_path);
  const move = useMoveFiles(volume.id);
  const remove = useRemoveWithUndo(volume.id);
  const [target, setTarget] = useState(folder);
  const pathsOf = (rows: readonly FileEntry[]) => rows.map(({ name }) => joined(folder, name));
  const copy = async (rows: readonly FileEntry[]) => {
    await navigator.clipboard.writeText(
      pathsOf(rows)
        .map((path) => `${place}/${path}`)
        .join("\n"),
    );
    messages.success(t("many.copied", { count: rows.length }));
  };
  const changes = mayWrite ? ["move", "delete"] : [];
  return {
    nameOf: ({ name }) => shownPath(name),
    allowed: (entry) => ["copy", ...(isOpened(entry) ? ["download"] : []), ...changes],
    rowsMax: PAGE_SIZE,
    actions: [
      {
        key: "download",
        label: t("downloadZip"),
        act: (rows) =>
          downloadEntries(
            archiveAddress(volume.id, folder, snapshot),
            rows.map(({ name }) => name),
          ),
      },
      { key: "copy", label: t("many.copy"), act: (rows) => void copy(rows) },
      {
        key: "move",
        label: t("move.action"),
        about: <FolderField volume={volume} value={target} onChange={setTarget} />,
        isReady: target !== folder,
        runAll: async (rows) =>
          refusalsOf(await move.mutateAsync({ paths: pathsOf(rows), folder: target })),
      },
      {
        key: "delete",
        label: t("delete"),
        about: t("deletedAbout"),
        isDangerous: true,
        runAll: (rows) => remove(pathsOf(rows)),
      },
    ],
    onDone: () => {},
  };
}

const UNDO_S = 10;

/**
 * Deletes, and offers to take it back: what is deleted stays in the trash for days. Answers for each
 * path with null, or why it was refused.
 *
 * The row that asked may be gone before the answer is here, so that the callbacks of `mutate`,
 * which end with their component, would never offer it.
 */
export function useRemoveWithUndo(
  volume: string,
): (paths: string[]) => Promise<(ProblemError | null)[]> {
  const { t } = useTranslation("files");
  const { notification } = App.useApp();
  const showProblem = useProblemMessage();
  const trash = useTrashFiles(volume);
  const restore = useRestoreFiles(volume);
  return async (paths) => {
    const fates = await trash.mutateAsync(paths);
    const trashed = fates.flatMap(({ id, path }) => (id ? [{ id, path }] : []));
    const [first] = trashed;
    if (first) {
      const undo = () => {
        notification.destroy(first.id);
        restore.mutateAsync(trashed.map(({ id }) => id)).catch(showProblem);
      };
      notification.open({
        key: first.id,
        title:
          trashed.length > 1
            ? t("deletedMany", { count: trashed.length })
            : t("deleted", { name: shownPath(nameOf(first.path)) }),
        description: t("deletedAbout"),
        duration: UNDO_S,
        placement: "bottomRight",
        actions: (
          <Button type="primary" size="small" onClick={undo}>
            {t("undo")}
          </Button>
        ),
      });
    }
    return refusalsOf(fates);
  };
}

function refusalsOf(fates: readonly { refusal: object | null }[]): (ProblemError | null)[] {
  return fates.map(({ refusal }) =>
    refusal ? new ProblemError(readProblem(409, refusal, "")) : null,
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

interface SftpButtonProps {
  volume: Volume;
  path: string;
}

/** Ready lines for `sftp` and `scp` that lead to the folder that is shown. */
export function SftpButton({ volume, path }: SftpButtonProps) {
  const { t } = useTranslation("files");
  const [isOpen, setOpen] = useState(false);
  const config = useConfig();
  if (!config?.ssh_port || volume.location === "node") return null;
  const host = new URL(config.portal_url).hostname;
  const lines = sftpLines(host, config.ssh_port, volume.folder_name, path);
  const shown = volume.access === "write" ? lines : lines.filter(({ key }) => key !== "upload");
  return (
    <>
      <Button icon={<CodeOutlined aria-hidden />} onClick={() => setOpen(true)}>
        SFTP
      </Button>
      <Modal open={isOpen} title={t("sftp.title")} footer={null} onCancel={() => setOpen(false)}>
        <div className="stack">
          {shown.map(({ key, text }) => (
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
    </>
  );
}
