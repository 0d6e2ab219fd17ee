import {
  CodeOutlined,
  DeleteOutlined,
  FolderAddOutlined,
  FolderOpenOutlined,
} from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button, Flex } from "antd";
import { type ReactNode, useEffect, useState } from "react";
import type { FileEntry, FolderPage, Volume } from "@/shared/api/types";
import { useVolumes } from "@/shared/cluster/api/volumes";
import { formatMemory } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useKeptList } from "@/shared/lists/api/address";
import { useConfig, usePlaceOf } from "@/shared/session/me";
import { CopyButton } from "@/shared/ui/code-block";
import { NativeSelect } from "@/shared/ui/controls";
import { useIsWide } from "@/shared/ui/data-table";
import { later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState, ProblemAlert, QueryBoundary } from "@/shared/ui/query-states";
import { contentAddress, useFolder, useHome } from "../api/files";
import { addUploads, type ChosenFile, droppedFiles } from "../api/uploads";
import { type FileSearch, folderOf, joined, nameOf, sftpLines, shownPath } from "../model/paths";
import { FileTable } from "./file-table";
import styles from "./files.module.css";
import {
  FolderPages,
  PathBar,
  SnapshotSelect,
  SortSelect,
  UnreadableNames,
  useTopName,
} from "./folder-tools";
import { UploadButton, UploadList } from "./upload-list";

const LaterFolderTree = later(async () => (await import("./folder-tree")).FolderTree);
const LaterNewFolder = later(async () => (await import("./file-dialogs")).NewFolderDialog);
const LaterSftp = later(async () => (await import("./file-dialogs")).SftpDialog);
const LaterTrashDrawer = later(async () => (await import("./file-dialogs")).TrashDrawer);
const LaterFilePreview = later(async () => (await import("./file-preview")).FilePreview);

interface FilesPageProps {
  search: FileSearch;
  /** Goes to another place; what is left out is forgotten. */
  onSearch: (search: FileSearch) => void;
  /** Buttons that open web apps on a folder. */
  apps: (volume: Volume, path: string) => ReactNode;
}

/** The files of my home and of the volumes of my groups. */
export function FilesPage({ search, onSearch, apps }: FilesPageProps) {
  const { t } = useTranslation("files");
  const home = useHome(search.volume === undefined);
  const volumes = useVolumes();
  const id = search.volume ?? home.data?.id;
  // The first visit makes the home, maybe after the list was read.
  const volume = [...(volumes.data ?? []), home.data].find((each) => each?.id === id);
  if (home.error) return <ProblemAlert error={home.error} onRetry={() => void home.refetch()} />;
  return (
    <QueryBoundary query={volumes}>
      {(all) =>
        id === undefined ? null : volume && volume.access !== "none" ? (
          <VolumeFiles volume={volume} all={all} search={search} onSearch={onSearch} apps={apps} />
        ) : (
          <EmptyState
            isPage
            title={t("noVolume.title")}
            text={t("noVolume.text")}
            action={<Link to="/files">{t("noVolume.action")}</Link>}
          />
        )
      }
    </QueryBoundary>
  );
}

/** What the browser keeps as hidden by its reader. */
const TREE = "tree";

interface VolumeFilesProps extends FilesPageProps {
  volume: Volume;
  all: readonly Volume[];
}

function VolumeFiles({ volume, all, search, onSearch, apps }: VolumeFilesProps) {
  const { t } = useTranslation("files");
  const [isTrashOpen, setTrashOpen] = useState(false);
  const [kept, keep] = useKeptList("files");
  const isWide = useIsWide();
  const top = useTopName(volume);
  const hasTree = isWide && !kept.hidden.includes(TREE);
  const { path = "", snapshot } = search;
  const mayWrite = volume.access === "write" && !snapshot;
  const go = (next: FileSearch) =>
    onSearch({ volume: volume.id, ...(snapshot && { snapshot }), ...next });
  const upload = (files: readonly ChosenFile[], folder = path) =>
    addUploads(
      volume.id,
      files.map((each) => ({ ...each, path: joined(folder, each.path) })),
    );
  return (
    <>
      <PageHeader
        title={t("title")}
        about={<VolumeAbout volume={volume} snapshot={snapshot} />}
        actions={mayWrite && <UploadButton onChosen={upload} />}
      />
      <Flex gap={8} wrap align="center" style={{ marginBottom: 12 }}>
        <VolumeSelect volume={volume} all={all} onVolume={(id) => onSearch({ volume: id })} />
        <SnapshotSelect
          volume={volume}
          snapshot={snapshot}
          onSnapshot={(chosen) =>
            onSearch({ volume: volume.id, path, ...(chosen && { snapshot: chosen }) })
          }
        />
        <SortSelect search={search} onSort={(order) => go({ path, ...order })} />
        {mayWrite && <NewFolderButton volume={volume.id} folder={path} />}
        {!snapshot && (
          <>
            <Button icon={<DeleteOutlined aria-hidden />} onClick={() => setTrashOpen(true)}>
              {t("trash.open")}
            </Button>
            <SftpButton volume={volume} path={path} />
            {apps(volume, path)}
          </>
        )}
      </Flex>
      <UploadList volume={volume.id} />
      <DropZone isActive={mayWrite} folder={path} onDropped={upload}>
        <PathBar
          top={top}
          path={path}
          before={
            isWide && (
              <Button
                size="small"
                type={hasTree ? "default" : "text"}
                icon={<FolderOpenOutlined aria-hidden />}
                aria-label={t("tree.label")}
                aria-expanded={hasTree}
                onClick={() => keep({ hidden: hasTree ? [TREE] : [] })}
              />
            )
          }
          link={({ name, path }) => (
            <Link
              to="/files"
              search={{ volume: volume.id, ...(snapshot && { snapshot }), ...(path && { path }) }}
            >
              {name}
            </Link>
          )}
          actions={volume.kind === "group" && <CopyButton text={location.href} what={t("link")} />}
        />
        <FolderContent
          key={volume.id}
          volume={volume}
          search={{ ...search, path }}
          go={go}
          mayWrite={mayWrite}
          hasTree={hasTree}
        />
      </DropZone>
      {isTrashOpen && <LaterTrashDrawer volume={volume} onClose={() => setTrashOpen(false)} />}
    </>
  );
}

function VolumeAbout({ volume, snapshot }: { volume: Volume; snapshot: string | undefined }) {
  const { t } = useTranslation("files");
  const language = useLanguage();
  const used = volume.used_mib === null ? "" : formatMemory(volume.used_mib, language);
  const quota = volume.quota_mib > 0 ? formatMemory(volume.quota_mib, language) : "";
  return (
    <>
      {t("mountedAt")} <code className="mono">{usePlaceOf()(volume.mount_path)}</code>
      {used && <> · {quota ? t("usedOf", { used, quota }) : t("used", { used })}</>}
      {!used && quota && <> · {t("quota", { quota })}</>}
      {volume.access === "read" && <> · {t("readOnly")}</>}
      {snapshot && <> · {t("snapshot.about", { snapshot })}</>}
    </>
  );
}

interface VolumeSelectProps {
  volume: Volume;
  all: readonly Volume[];
  onVolume: (id: string) => void;
}

function VolumeSelect({ volume, all, onVolume }: VolumeSelectProps) {
  const language = useLanguage();
  const { t } = useTranslation("files");
  const readable = all.filter(({ state, access }) => state === "active" && access !== "none");
  const shown = readable.some(({ id }) => id === volume.id) ? readable : [volume, ...readable];
  const named = (each: Volume) =>
    each.kind === "home"
      ? t("home")
      : `${(each.group && titleOf(each.group, language)) ?? ""} · ${each.name}`;
  return (
    <NativeSelect
      label={t("volume")}
      value={volume.id}
      options={[...shown]
        .sort((one, other) => Number(other.kind === "home") - Number(one.kind === "home"))
        .map((each) => ({ value: each.id, label: named(each) }))}
      onChoose={onVolume}
    />
  );
}

function NewFolderButton({ volume, folder }: { volume: string; folder: string }) {
  const { t } = useTranslation("files");
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<FolderAddOutlined aria-hidden />} onClick={() => setOpen(true)}>
        {t("newFolder.action")}
      </Button>
      {isOpen && <LaterNewFolder volume={volume} folder={folder} onClose={() => setOpen(false)} />}
    </>
  );
}

interface SftpButtonProps {
  volume: Volume;
  path: string;
}

/** Ready lines for `sftp` and `scp` that lead to the folder that is shown. */
function SftpButton({ volume, path }: SftpButtonProps) {
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
      {isOpen && <LaterSftp lines={shown} onClose={() => setOpen(false)} />}
    </>
  );
}

interface DropZoneProps {
  isActive: boolean;
  /** The folder that is shown. */
  folder: string;
  onDropped: (files: readonly ChosenFile[], folder: string) => void;
  children: React.ReactNode;
}

/** Files and folders dropped on a folder of the list or tree are uploaded into it, else into the one shown. */
function DropZone({ isActive, folder, onDropped, children }: DropZoneProps) {
  const { t } = useTranslation("files");
  const [over, setOver] = useState<string | null>(null);
  const isOver = over !== null;
  if (!isActive) return <div className={styles.zone}>{children}</div>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same for the keyboard
    <div
      className={styles.zone}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(folderAt(event.target, folder));
      }}
      onDragLeave={() => setOver(null)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(null);
        const target = folderAt(event.target, folder);
        void droppedFiles(event.dataTransfer).then((files) => onDropped(files, target));
      }}
    >
      {children}
      {isOver && (
        <div className={styles.drop}>
          <strong>
            {over === folder
              ? t("upload.drop")
              : t("upload.dropInto", { name: shownPath(nameOf(over)) })}
          </strong>
        </div>
      )}
    </div>
  );
}

/** The folder of the row of the list or tree that is pointed at; the one shown elsewhere. */
function folderAt(target: EventTarget, shown: string): string {
  const row = target instanceof Element ? target.closest("tr, [role=treeitem]") : null;
  const { folder, folderName } = row?.querySelector<HTMLElement>(NAMED)?.dataset ?? {};
  return folder ?? (folderName === undefined ? shown : joined(shown, folderName));
}

const NAMED = "[data-folder], [data-folder-name]";

interface FolderContentProps {
  volume: Volume;
  search: FileSearch;
  go: (search: FileSearch) => void;
  mayWrite: boolean;
  hasTree: boolean;
}

function FolderContent({ volume, search, go, mayWrite, hasTree }: FolderContentProps) {
  const { t } = useTranslation("files");
  const folder = useFolder(volume.id, search);
  const { path = "" } = search;
  const top = useTopName(volume);
  const order = {
    ...(search.sort && { sort: search.sort }),
    ...(search.descending && { descending: search.descending }),
  };
  const { file, ...place } = search;
  const unreadable = folder.data?.unreadable_names ?? 0;
  const previewed = folder.data?.entries.find(({ name }) => name === file);
  useEffect(() => {
    document.getElementById("main")?.scrollTo?.({ top: 0 });
  }, []);
  const open = (entry: FileEntry) =>
    entry.kind === "folder"
      ? go({ path: joined(path, entry.name), ...order })
      : go({ ...place, file: entry.name });
  const content = (
    <div>
      <UnreadableNames count={unreadable}>
        {t("unreadable.text")} <code>convmv -r -f gbk -t utf8 --notest .</code>
      </UnreadableNames>
      <FileTable
        key={`${search.snapshot}/${path}`}
        query={folder}
        volume={volume}
        folder={path}
        snapshot={search.snapshot}
        mayWrite={mayWrite}
        onOpen={open}
      />
      <FolderPages
        folder={folder.data}
        page={search.page ?? 1}
        onPage={(page) => go({ ...place, page })}
      />
      {previewed?.has_content && (
        <LaterFilePreview
          place={{
            folder: path,
            addressOf: (path) => contentAddress(volume.id, path, search.snapshot),
            link: (path, shown) => (
              <Link
                to="/files"
                search={{
                  ...{ volume: volume.id, path: folderOf(path), file: nameOf(path) },
                  ...(search.snapshot && { snapshot: search.snapshot }),
                }}
              >
                {shown}
              </Link>
            ),
          }}
          entry={previewed}
          onClose={() => go(place)}
        />
      )}
    </div>
  );
  if (!hasTree) return content;
  return (
    <div className={styles.browser}>
      <LaterFolderTree
        volume={volume.id}
        top={top}
        path={path}
        snapshot={search.snapshot}
        listed={foldersOf(folder.data)}
        onOpen={(chosen) => go({ path: chosen, ...order })}
      />
      {content}
    </div>
  );
}

/** The names of the folders of a folder that one page lists as a whole. */
function foldersOf(page: FolderPage | undefined): string[] | undefined {
  if (!page || page.total > page.entries.length) return undefined;
  return page.entries.filter(({ kind }) => kind === "folder").map(({ name }) => name);
}
