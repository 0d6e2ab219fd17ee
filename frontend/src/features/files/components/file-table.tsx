import {
  DisconnectOutlined,
  EllipsisOutlined,
  FileOutlined,
  FolderFilled,
  LinkOutlined,
} from "@ant-design/icons";
import { Button, Flex, type MenuProps } from "antd";
import { type ReactNode, useState } from "react";
import type { FileEntry, FolderPage, Volume } from "@/shared/api/types";
import { formatBytes } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import type { Sort } from "@/shared/lists/model/table";
import { useMessages } from "@/shared/ui/messages";
import { later, MenuButton } from "@/shared/ui/opening";
import { EmptyState, type QueryLike, useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import {
  archiveAddress,
  contentAddress,
  useFolderSize,
  useRestoreFiles,
  useRestoreSnapshot,
  useTrashFiles,
} from "../api/files";
import { type FileSearch, isOpened, isWhole, joined, SORTS } from "../model/paths";
import styles from "./files.module.css";

const ICONS = {
  folder: FolderFilled,
  file: FileOutlined,
  link: LinkOutlined,
  special: DisconnectOutlined,
} as const;
const LaterRename = later(async () => (await import("./file-dialogs")).RenameDialog);
const LaterMove = later(async () => (await import("./file-dialogs")).MoveDialog);

interface FileTableProps {
  query: QueryLike<FolderPage>;
  volume: Volume;
  search: FileSearch;
  mayWrite: boolean;
  onOpen: (entry: FileEntry) => void;
  onSort: (order: Pick<FileSearch, "sort" | "descending">) => void;
}

/** The entries of a folder; folders, files and links to files open, devices are only named. */
export function FileTable(props: FileTableProps) {
  const { query, volume, search, mayWrite, onOpen, onSort } = props;
  const { path: folder = "", snapshot, sort = "name", descending = false } = search;
  const { t } = useTranslation("files");
  const columns = useFileColumns({
    onOpen,
    isWhole: isWhole(query.data),
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
  const order = (next: Sort | null) => {
    const by = SORTS.find((each) => each === next?.key);
    onSort(by ? { sort: by, ...(next?.isDescending && { descending: true }) } : {});
  };
  return (
    <ListOfQuery
      id="files"
      query={{ ...query, data: query.data?.entries }}
      serverSorts={SORTS}
      order={[{ key: sort, isDescending: descending }, order]}
      label={t("title")}
      columns={columns}
      rowKey={({ name }) => name}
      empty={
        <EmptyState
          title={t("empty.title")}
          text={t(mayWrite ? "empty.text" : "empty.textReader")}
        />
      }
    />
  );
}

interface FileColumns {
  onOpen: (entry: FileEntry) => void;
  /** Whether all entries of the folder are listed: a page of them is neither sorted nor a file. */
  isWhole: boolean;
  /** What is said of a link, which does not open. */
  linkAbout: string;
  folderSize: (entry: FileEntry) => ReactNode;
  actions: (entry: FileEntry) => ReactNode;
}

/** The columns of any table of files. */
export function useFileColumns(of: FileColumns): ListColumn<FileEntry>[] {
  const { t } = useTranslation("files");
  const language = useLanguage();
  const valued = (value: NonNullable<ListColumn<FileEntry>["value"]>) =>
    of.isWhole ? { value } : {};
  return [
    {
      key: "name",
      title: t("column.name"),
      ...valued(({ name }) => name),
      cell: (entry) => <FileName entry={entry} onOpen={of.onOpen} linkAbout={of.linkAbout} />,
    },
    {
      key: "size",
      title: t("column.size"),
      isShort: true,
      ...valued(({ has_content, size }) => (has_content ? size : null)),
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
      ...valued(({ modified_at }) => modified_at),
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
    <span className={styles.name}>
      <Icon aria-hidden data-kind={entry.kind} />
      {!isOpened(entry) ? (
        <span>
          {entry.name}{" "}
          <span className="second">{entry.kind === "link" ? linkAbout : t("kind.special")}</span>
        </span>
      ) : (
        <button type="button" onClick={() => onOpen(entry)}>
          {entry.name}
        </button>
      )}
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
      type="text"
      aria-label={t("countOf", { path })}
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
  const path = joined(folder, entry.name);
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
    mayWrite && { key: "delete", label: t("delete"), danger: true, onClick: () => remove(path) },
  ].filter((item) => item !== false);
  const close = () => setDialog(null);
  return (
    <Flex gap={4}>
      <ActionMenu name={entry.name} items={items} />
      {dialog === "rename" && <LaterRename volume={volume.id} path={path} onClose={close} />}
      {dialog === "move" && <LaterMove volume={volume.id} path={path} onClose={close} />}
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
  return <ActionMenu name={entry.name} items={items} />;
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

/**
 * Deletes at once, and offers to take it back: what is deleted stays in the trash for days.
 *
 * The row that asked may be gone before the answer is here, so that the callbacks of `mutate`,
 * which end with their component, would never offer it.
 */
function useRemoveWithUndo(volume: string): (path: string) => void {
  const { t } = useTranslation("files");
  const messages = useMessages();
  const showProblem = useProblemMessage();
  const trash = useTrashFiles(volume);
  const restore = useRestoreFiles(volume);
  return (path) => {
    const offer = (trashed: { id: string }[]) =>
      messages.success(t("deleted", { name: path.split("/").pop() }), {
        about: t("deletedAbout"),
        label: t("undo"),
        act: () => void restore.mutateAsync(trashed.map(({ id }) => id)).catch(showProblem),
      });
    trash.mutateAsync([path]).then(offer, showProblem);
  };
}
