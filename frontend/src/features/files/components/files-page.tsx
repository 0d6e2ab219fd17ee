import {
  CodeOutlined,
  DeleteOutlined,
  FolderAddOutlined,
  FolderOpenOutlined,
} from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button, Flex } from "antd";
import { type ReactNode, useEffect, useState } from "react";
import type { FileEntry, Volume } from "@/shared/api/types";
import { useVolumes } from "@/shared/cluster/api/volumes";
import { formatMemory } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useKeptList } from "@/shared/lists/api/address";
import { useConfig, usePlaceOf } from "@/shared/session/me";
import { CopyButton } from "@/shared/ui/code-block";
import { NativeSelect, Tick } from "@/shared/ui/controls";
import { useIsWide } from "@/shared/ui/data-table";
import { later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState, ProblemAlert, QueryBoundary } from "@/shared/ui/query-states";
import { contentAddress, useFolder, useHome } from "../api/files";
import { addUploads, type ChosenFile } from "../api/uploads";
import { foldersOf, listedOf, orderOf } from "../model/listing";
import { type FileSearch, folderOf, joined, nameOf, sftpLines } from "../model/paths";
import { DropZone } from "./drop-zone";
import { FileTable } from "./file-table";
import styles from "./files.module.css";
import { FolderPages, PathBar, SnapshotSelect, UnreadableNames, useTopName } from "./folder-tools";
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
  const [showsDotted, setShowsDotted] = useState(false);
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
        <Tick isOn={showsDotted} onChange={setShowsDotted}>
          {t("dotted")}
        </Tick>
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
              <TreeButton
                isOpen={hasTree}
                onPress={() => keep({ hidden: hasTree ? [TREE] : [] })}
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
          showsDotted={showsDotted}
        />
      </DropZone>
      {isTrashOpen && <LaterTrashDrawer volume={volume} onClose={() => setTrashOpen(false)} />}
    </>
  );
}

function TreeButton({ isOpen, onPress }: { isOpen: boolean; onPress: () => void }) {
  const { t } = useTranslation("files");
  return (
    <Button
      size="small"
      type={isOpen ? "default" : "text"}
      icon={<FolderOpenOutlined aria-hidden />}
      aria-label={t("tree.label")}
      aria-expanded={isOpen}
      onClick={onPress}
    />
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

interface FolderContentProps {
  volume: Volume;
  search: FileSearch;
  go: (search: FileSearch) => void;
  mayWrite: boolean;
  hasTree: boolean;
  /** Whether entries are listed whose names begin with a dot: settings and caches of programs. */
  showsDotted: boolean;
}

function FolderContent(props: FolderContentProps) {
  const { volume, search, go, mayWrite, hasTree, showsDotted } = props;
  const { t } = useTranslation("files");
  const folder = useFolder(volume.id, search);
  const { entries, hidden } = listedOf(folder.data, showsDotted);
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
        query={{ ...folder, data: entries }}
        order={[
          { key: search.sort ?? "name", isDescending: search.descending ?? false },
          (sort) => go({ path, ...orderOf(sort) }),
        ]}
        volume={volume}
        folder={path}
        snapshot={search.snapshot}
        mayWrite={mayWrite}
        onOpen={open}
      />
      {hidden > 0 && <p className="second">{t("dottedCount", { count: hidden })}</p>}
      <FolderPages
        folder={folder.data}
        page={search.page ?? 1}
        onPage={(page) => go({ ...place, page })}
      />
      {previewed?.has_content && (
        <PreviewedFile
          volume={volume.id}
          search={search}
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
        listed={foldersOf(folder.data, showsDotted)}
        onOpen={(chosen) => go({ path: chosen, ...order })}
      />
      {content}
    </div>
  );
}

interface PreviewedFileProps {
  volume: string;
  search: FileSearch;
  entry: FileEntry;
  onClose: () => void;
}

function PreviewedFile({ volume, search, entry, onClose }: PreviewedFileProps) {
  const { path = "", snapshot } = search;
  return (
    <LaterFilePreview
      place={{
        folder: path,
        addressOf: (path) => contentAddress(volume, path, snapshot),
        link: (path, shown) => (
          <Link
            to="/files"
            search={{
              ...{ volume, path: folderOf(path), file: nameOf(path) },
              ...(snapshot && { snapshot }),
            }}
          >
            {shown}
          </Link>
        ),
      }}
      entry={entry}
      onClose={onClose}
    />
  );
}
