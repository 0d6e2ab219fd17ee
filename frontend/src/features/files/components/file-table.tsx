import {
  DisconnectOutlined,
  EllipsisOutlined,
  FileOutlined,
  FolderFilled,
  LinkOutlined,
} from "@ant-design/icons";
import { Button, Flex, type MenuProps } from "antd";
import { type ReactNode, useState } from "react";
import type { FileEntry, Volume } from "@/shared/api/types";
import { formatBytes } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import type { SortState } from "@/shared/lists/api/address";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMessages } from "@/shared/ui/messages";
import { later, MenuButton } from "@/shared/ui/opening";
import { EmptyState, type QueryLike, useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { archiveAddress, contentAddress, useFolderSize, useRestoreSnapshot } from "../api/files";
import { type FileSort, isOpened, isRaw, joined, shownPath } from "../model/paths";
import { useFileBulk, useRemoveWithUndo } from "./file-acts";
import styles from "./files.module.css";

const LaterMove = later(async () => (await import("./file-dialogs")).MoveDialog);
const LaterRename = later(async () => (await import("./file-dialogs")).RenameDialog);

const ICONS = {
  folder: FolderFilled,
  file: FileOutlined,
  link: LinkOutlined,
  special: DisconnectOutlined,
} as const;

interface FileTableProps {
  query: QueryLike<FileEntry[]>;
  /** The server's: a large folder comes in pages. */
  order: SortState;
  volume: Volume;
  folder: string;
  /** The snapshot whose folder it is. */
  snapshot: string | undefined;
  mayWrite: boolean;
  onOpen: (entry: FileEntry) => void;
}

/** The entries of a folder; folders, files and links to files open, devices are only named. */
export function FileTable(props: FileTableProps) {
  const { query, order, volume, folder, snapshot, mayWrite, onOpen } = props;
  const { t } = useTranslation("files");
  const columns = useFileColumns({
    onOpen,
    linkAbout: t("kind.link"),
    folderSize: ({ name }) => (
      <FolderSize volume={volume.id} path={joined(folder, name)} snapshot={snapshot} />
    ),
    actions: (entry) =>
      snapshot ? (
        <SnapshotActions volume={volume} folder={folder} snapshot={snapshot} entry={entry} />
      ) : (
        <FileActions volume={volume} folder={folder} entry={entry} mayWrite={mayWrite} />
      ),
  });
  const bulk = useFileBulk({ volume, folder, snapshot, mayWrite });
  return (
    <ListOfQuery
      id="files"
      query={query}
      label={t("title")}
      columns={columns}
      serverSorts={SORTED_BY}
      order={order}
      bulk={bulk}
      rowKey={nameOfEntry}
      empty={
        <EmptyState
          title={t("empty.title")}
          text={t(mayWrite ? "empty.text" : "empty.textReader")}
        />
      }
    />
  );
}

const SORTED_BY = ["name", "size", "modified"] as const satisfies readonly FileSort[];

function nameOfEntry({ name }: FileEntry): string {
  return name;
}

interface FileColumns {
  onOpen: (entry: FileEntry) => void;
  /** What is said of a link, which does not open. */
  linkAbout: string;
  folderSize: (entry: FileEntry) => ReactNode;
  actions: (entry: FileEntry) => ReactNode;
}

/** The columns of any table of files. */
export function useFileColumns(of: FileColumns): ListColumn<FileEntry>[] {
  const { t } = useTranslation("files");
  const language = useLanguage();
  return [
    {
      key: "name",
      title: t("column.name"),
      cell: (entry) => <FileName entry={entry} onOpen={of.onOpen} linkAbout={of.linkAbout} />,
    },
    {
      key: "size",
      title: t("column.size"),
      isShort: true,
      cell: (entry) => {
        if (entry.kind === "folder") return of.folderSize(entry);
        if (!entry.has_content) return "–";
        return <span className="num">{formatBytes(entry.size, language)}</span>;
      },
    },
    {
      key: "modified",
      title: t("column.modified"),
      isShort: true,
      cell: ({ modified_at }) => <Age at={modified_at} />,
    },
    { key: "action", title: t("column.action"), isShort: true, cell: of.actions },
  ];
}

interface FileNameProps {
  entry: FileEntry;
  onOpen: (entry: FileEntry) => void;
  linkAbout: string;
}

function FileName({ entry, onOpen, linkAbout }: FileNameProps) {
  const { t } = useTranslation("files");
  const Icon = ICONS[entry.kind];
  return (
    <span
      className={styles.name}
      {...(entry.kind === "folder" && { "data-folder-name": entry.name })}
    >
      <Icon aria-hidden data-kind={entry.kind} />
      {!isOpened(entry) ? (
        <span>
          {shownPath(entry.name)}{" "}
          <span className="second">{entry.kind === "link" ? linkAbout : t("kind.special")}</span>
        </span>
      ) : (
        <button type="button" onClick={() => onOpen(entry)}>
          {shownPath(entry.name)}
        </button>
      )}
      {isRaw(entry.name) && <span className="second">{t("unreadable.one")}</span>}
    </span>
  );
}

interface FolderSizeProps {
  volume: string;
  path: string;
  snapshot: string | undefined;
}

/** Counted when it is asked for: a folder may hold very much. */
function FolderSize({ volume, path, snapshot }: FolderSizeProps) {
  const { t } = useTranslation("files");
  const [isAsked, setAsked] = useState(false);
  if (isAsked) return <CountedSize volume={volume} path={path} snapshot={snapshot} />;
  return (
    <Button
      size="small"
      type="link"
      style={{ paddingInline: 0 }}
      aria-label={t("countOf", { path: shownPath(path) })}
      onClick={() => setAsked(true)}
    >
      {t("count")}
    </Button>
  );
}

function CountedSize({ volume, path, snapshot }: FolderSizeProps) {
  const { t } = useTranslation("files");
  const language = useLanguage();
  const { data } = useFolderSize(volume, path, snapshot);
  if (!data) return <>…</>;
  const size = formatBytes(data.size, language);
  return <span className="num">{data.is_whole ? size : t("atLeast", { size })}</span>;
}

interface FileActionsProps {
  volume: Volume;
  folder: string;
  entry: FileEntry;
  mayWrite: boolean;
}

function FileActions({ volume, folder, entry, mayWrite }: FileActionsProps) {
  const { t } = useTranslation("files");
  const messages = useMessages();
  const [dialog, setDialog] = useState<"rename" | "move" | null>(null);
  const remove = useRemoveWithUndo(volume.id);
  const showProblem = useProblemMessage();
  const path = joined(folder, entry.name);
  const removeIt = () =>
    void remove([path]).then(([error]) => error && showProblem(error), showProblem);
  const copyLink = async () => {
    await navigator.clipboard.writeText(linkTo(volume.id, folder, entry));
    messages.success(t(volume.kind === "home" ? "linkCopiedHome" : "linkCopied"));
  };
  const items = [
    isOpened(entry) && {
      key: "download",
      label: <Download volume={volume} path={path} entry={entry} />,
    },
    isOpened(entry) && { key: "link", label: t("copyLink"), onClick: () => void copyLink() },
    mayWrite && { key: "rename", label: t("rename.action"), onClick: () => setDialog("rename") },
    mayWrite && { key: "move", label: t("move.action"), onClick: () => setDialog("move") },
    mayWrite && { key: "delete", label: t("delete"), danger: true, onClick: removeIt },
  ].filter((item) => item !== false);
  const close = () => setDialog(null);
  return (
    <Flex gap={4}>
      <ActionMenu name={shownPath(entry.name)} items={items} />
      {dialog === "rename" && <LaterRename volume={volume.id} path={path} onClose={close} />}
      {dialog === "move" && <LaterMove volume={volume} path={path} onClose={close} />}
    </Flex>
  );
}

interface SnapshotActionsProps {
  volume: Volume;
  folder: string;
  snapshot: string;
  entry: FileEntry;
}

/** What may be done with an entry of a snapshot: nothing that changes it. */
function SnapshotActions({ volume, folder, snapshot, entry }: SnapshotActionsProps) {
  const { t } = useTranslation("files");
  const bringBack = useBringBack(volume.id, snapshot);
  const path = joined(folder, entry.name);
  if (!isOpened(entry)) return null;
  const download = <Download volume={volume} path={path} snapshot={snapshot} entry={entry} />;
  const restore = { key: "restore", label: t("snapshot.restore"), onClick: () => bringBack(path) };
  const items = [
    { key: "download", label: download },
    ...(volume.access === "write" && entry.kind !== "link" ? [restore] : []),
  ];
  return <ActionMenu name={shownPath(entry.name)} items={items} />;
}

interface DownloadProps {
  volume: Volume;
  path: string;
  snapshot?: string;
  entry: FileEntry;
}

function Download({ volume, path, snapshot, entry }: DownloadProps) {
  const { t } = useTranslation("files");
  const isFolder = entry.kind === "folder";
  return (
    <a href={(isFolder ? archiveAddress : contentAddress)(volume.id, path, snapshot)} download>
      {t(isFolder ? "downloadZip" : "download")}
    </a>
  );
}

function ActionMenu({ name, items }: { name: string; items: NonNullable<MenuProps["items"]> }) {
  const { t } = useTranslation("files");
  return (
    <MenuButton
      type="default"
      size="small"
      icon={<EllipsisOutlined aria-hidden />}
      label={t("actionsOf", { name })}
      menu={{ items }}
    />
  );
}

/** The address of a file or folder on this page; whoever may read the volume can open it. */
function linkTo(volume: string, folder: string, entry: FileEntry): string {
  const isFolder = entry.kind === "folder";
  const path = isFolder ? joined(folder, entry.name) : folder;
  const query = new URLSearchParams({ volume });
  if (path) query.set("path", path);
  if (!isFolder) query.set("file", entry.name);
  return `${globalThis.location.origin}/files?${query}`;
}

/** Puts something of a snapshot back, and says where it is. */
function useBringBack(volume: string, snapshot: string): (path: string) => void {
  const { t } = useTranslation("files");
  const messages = useMessages();
  const showProblem = useProblemMessage();
  const restore = useRestoreSnapshot(volume);
  return (path) =>
    restore.mutate(
      { snapshot, path },
      {
        onError: showProblem,
        onSuccess: (restored) => messages.success(t("snapshot.restored", restored)),
      },
    );
}
