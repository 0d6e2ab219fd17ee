import { Link } from "@tanstack/react-router";
import { Form, Input, Modal } from "antd";
import { useTranslation } from "@/shared/i18n/language";
import { CodeBlock } from "@/shared/ui/code-block";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useCreateFolder, useMoveFile } from "../api/files";
import { folderOf, isFileName, isFilePath, joined, nameOf, type sftpLines } from "../model/paths";

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
      title={t("rename.title", { name: nameOf(path) })}
      action={t("rename.action")}
      initial={{ name: nameOf(path) }}
      save={useMoveFile(volume)}
      bodyOf={({ name }) => ({ path, to: joined(folderOf(path), name) })}
      onClose={onClose}
    >
      <FileNameItem />
    </EntityDialog>
  );
}

/** Moves into a folder that is there, named by its path from the top of the volume. */
export function MoveDialog({ volume, path, onClose }: FileDialogProps) {
  const { t } = useTranslation("files");
  return (
    <EntityDialog<{ folder?: string }, { path: string; to: string }>
      title={t("move.title", { name: nameOf(path) })}
      action={t("move.action")}
      initial={{ folder: folderOf(path) }}
      save={useMoveFile(volume)}
      bodyOf={({ folder }) => ({
        path,
        to: joined((folder ?? "").replaceAll(/^\/+|\/+$/g, ""), nameOf(path)),
      })}
      onClose={onClose}
    >
      <Form.Item
        name="folder"
        label={t("move.folder")}
        extra={t("move.about")}
        rules={[
          {
            validator: (_rule, folder: string = "") =>
              isFilePath(folder.replaceAll(/^\/+|\/+$/g, "") || "top")
                ? Promise.resolve()
                : Promise.reject(new Error(t("nameWrong"))),
          },
        ]}
      >
        <Input autoComplete="off" spellCheck={false} autoFocus />
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
  lines: ReturnType<typeof sftpLines>[number][];
  onClose: () => void;
}

/** Ready lines for `sftp` and `scp`. */
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
