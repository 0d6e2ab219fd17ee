import { CodeOutlined, DeleteOutlined, FolderAddOutlined, UploadOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button, Flex } from "antd";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { FileEntry, Volume } from "@/shared/api/types";
import { useVolumes } from "@/shared/cluster/api/volumes";
import { formatMemory } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useConfig, usePlaceOf } from "@/shared/session/me";
import { CopyButton } from "@/shared/ui/code-block";
import { NativeSelect } from "@/shared/ui/controls";
import { later, MenuButton } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState, ProblemAlert, QueryBoundary } from "@/shared/ui/query-states";
import { contentAddress, useFolder, useHome } from "../api/files";
import { addUploads, type ChosenFile, chosenFiles, droppedFiles } from "../api/uploads";
import { type FileSearch, folderOf, joined, nameOf, sftpLines } from "../model/paths";
import { FileTable } from "./file-table";
import styles from "./files.module.css";
import { FolderPages, PathBar, SnapshotSelect, UnreadableNames } from "./folder-tools";
import { UploadList } from "./upload-list";

const LaterNewFolder = later(async () => (await import("./file-dialogs")).NewFolderDialog);
const LaterSftp = later(async () => (await import("./file-dialogs")).SftpDialog);
const LaterPreview = later(async () => (await import("./file-preview")).FilePreview);
const LaterTrash = later(async () => (await import("./trash-drawer")).TrashDrawer);

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

interface VolumeFilesProps extends FilesPageProps {
  volume: Volume;
  all: readonly Volume[];
}

function VolumeFiles({ volume, all, search, onSearch, apps }: VolumeFilesProps) {
  const { t } = useTranslation("files");
  const [isTrashOpen, setTrashOpen] = useState(false);
  const { path = "", snapshot } = search;
  const mayWrite = volume.access === "write" && !snapshot;
  const go = (next: FileSearch) =>
    onSearch({ volume: volume.id, ...(snapshot && { snapshot }), ...next });
  const upload = (files: readonly ChosenFile[]) =>
    addUploads(
      volume.id,
      files.map((each) => ({ ...each, path: joined(path, each.path) })),
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
      <DropZone isActive={mayWrite} onDropped={upload}>
        <PathBar
          top={volume.kind === "home" ? t("home") : volume.name}
          path={path}
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
        />
      </DropZone>
      {isTrashOpen && <LaterTrash volume={volume} onClose={() => setTrashOpen(false)} />}
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

/** Chooses files, or a folder with all in it. */
function UploadButton({ onChosen }: { onChosen: (files: readonly ChosenFile[]) => void }) {
  const { t } = useTranslation("files");
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement) => {
    onChosen(chosenFiles(input.files));
    input.value = "";
  };
  return (
    <>
      <MenuButton
        type="primary"
        icon={<UploadOutlined aria-hidden />}
        label={t("upload.action")}
        menu={{
          items: [
            { key: "files", label: t("upload.files"), onClick: () => files.current?.click() },
            { key: "folder", label: t("upload.folder"), onClick: () => folder.current?.click() },
          ],
        }}
      >
        {t("upload.action")}
      </MenuButton>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        data-testid="upload-files"
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        hidden
        data-testid="upload-folder"
        // React has no property of this name.
        {...{ webkitdirectory: "" }}
        onChange={(event) => take(event.currentTarget)}
      />
    </>
  );
}

/** Lines that lead to the folder that is shown by other programs. */
function SftpButton({ volume, path }: { volume: Volume; path: string }) {
  const [isOpen, setOpen] = useState(false);
  const config = useConfig();
  if (!config?.ssh_port || volume.location === "node") return null;
  const host = new URL(config.portal_url).hostname;
  const lines = sftpLines(host, config.ssh_port, volume.folder_name, path);
  const shown = lines.filter(({ key }) => key !== "upload" || volume.access === "write");
  return (
    <>
      <Button icon={<CodeOutlined aria-hidden />} onClick={() => setOpen(true)}>
        SFTP
      </Button>
      {isOpen && <LaterSftp lines={shown} onClose={() => setOpen(false)} />}
    </>
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

interface DropZoneProps {
  isActive: boolean;
  onDropped: (files: readonly ChosenFile[]) => void;
  children: React.ReactNode;
}

/** Files and folders dropped here are uploaded into the folder that is shown. */
function DropZone({ isActive, onDropped, children }: DropZoneProps) {
  const { t } = useTranslation("files");
  const [isOver, setOver] = useState(false);
  if (!isActive) return <div className={styles.zone}>{children}</div>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same for the keyboard
    <div
      className={styles.zone}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void droppedFiles(event.dataTransfer).then(onDropped);
      }}
    >
      {children}
      {isOver && <div className={styles.drop}>{t("upload.drop")}</div>}
    </div>
  );
}

interface FolderContentProps {
  volume: Volume;
  search: FileSearch;
  go: (search: FileSearch) => void;
  mayWrite: boolean;
}

function FolderContent({ volume, search, go, mayWrite }: FolderContentProps) {
  const { t } = useTranslation("files");
  const folder = useFolder(volume.id, search);
  const { file, ...place } = search;
  const unreadable = folder.data?.unreadable_names ?? 0;
  const previewed = folder.data?.entries.find(({ name }) => name === file);
  useEffect(() => {
    document.getElementById("main")?.scrollTo?.({ top: 0 });
  }, []);
  const open = (entry: FileEntry) =>
    entry.kind === "folder"
      ? go({
          path: joined(search.path ?? "", entry.name),
          ...(search.sort && { sort: search.sort }),
          ...(search.descending && { descending: true }),
        })
      : go({ ...place, file: entry.name });
  return (
    <>
      <UnreadableNames count={unreadable}>
        {t("unreadable.text")} <code>convmv -r -f gbk -t utf8 --notest .</code>
      </UnreadableNames>
      {(unreadable === 0 || folder.data?.total !== 0) && (
        <FileTable
          query={folder}
          volume={volume}
          search={search}
          mayWrite={mayWrite}
          onOpen={open}
          onSort={(order) => go({ path: search.path ?? "", ...order })}
        />
      )}
      <FolderPages
        folder={folder.data}
        page={search.page ?? 1}
        onPage={(page) => go({ ...place, page })}
      />
      {previewed?.has_content && (
        <LaterPreview
          place={{
            folder: search.path ?? "",
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
    </>
  );
}
