import { DownloadOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button } from "antd";
import type { FileEntry } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { ListOfQuery } from "@/shared/lists/components/list-table";
import { later } from "@/shared/ui/opening";
import { EmptyState } from "@/shared/ui/query-states";
import { outputAddress, outputsArchiveAddress, useOutputs } from "../api/files";
import { folderOf, isOpened, joined, nameOf, type OutputSearch, shownPath } from "../model/paths";
import { useFileColumns } from "./file-table";
import { FolderPages, PathBar, UnreadableNames } from "./folder-tools";

const LaterOutputPreview = later(async () => (await import("./file-preview")).FilePreview);

interface OutputFilesProps {
  jobId: string;
  search: OutputSearch;
  /** Goes to another place; what is left out is forgotten. */
  onSearch: (search: OutputSearch) => void;
}

/** What a job left, folder by folder, to look at and to download. */
export function OutputFiles({ jobId, search, onSearch }: OutputFilesProps) {
  const { t } = useTranslation("files");
  const { path = "", page = 1, file } = search;
  const outputs = useOutputs(jobId, path, page);
  const { file: _, ...place } = search;
  const { total = 0, unreadable_names = 0 } = outputs.data ?? {};
  const previewed = outputs.data?.entries.find(({ name }) => name === file);
  const columns = useFileColumns({
    onOpen: ({ name, kind }) =>
      onSearch(kind === "folder" ? { path: joined(path, name) } : { ...place, file: name }),
    linkAbout: t("outputs.link"),
    folderSize: () => "–",
    actions: (entry) => <OutputDownload jobId={jobId} folder={path} entry={entry} />,
  });
  return (
    <div>
      <PathBar
        top={t("outputs.title")}
        path={path}
        link={({ name, path }) => (
          <Link
            to="/jobs/$id"
            params={{ id: jobId }}
            search={{ tab: "outputs", ...(path && { path }) }}
          >
            {name}
          </Link>
        )}
        actions={
          total > 0 && (
            <Button
              size="small"
              icon={<DownloadOutlined aria-hidden />}
              href={outputsArchiveAddress(jobId, path)}
              download
            >
              {t(path ? "outputs.downloadFolder" : "outputs.downloadAll")}
            </Button>
          )
        }
      />
      <UnreadableNames count={unreadable_names}>{t("outputs.unreadable")}</UnreadableNames>
      <ListOfQuery
        id="outputs"
        serverSorts={[]}
        query={{ ...outputs, data: outputs.data?.entries }}
        label={t("outputs.title")}
        columns={columns}
        rowKey={({ name }) => name}
        empty={
          <EmptyState title={t(path ? "empty.title" : "outputs.empty")} text={t("outputs.about")} />
        }
      />
      <FolderPages
        folder={outputs.data}
        page={page}
        onPage={(page) => onSearch({ ...place, page })}
      />
      {previewed?.has_content && (
        <LaterOutputPreview
          place={{
            folder: path,
            addressOf: (path) => outputAddress(jobId, path),
            link: (path, shown) => (
              <Link
                to="/jobs/$id"
                params={{ id: jobId }}
                search={{ tab: "outputs", path: folderOf(path), file: nameOf(path) }}
              >
                {shown}
              </Link>
            ),
          }}
          entry={previewed}
          onClose={() => onSearch(place)}
        />
      )}
    </div>
  );
}

interface OutputDownloadProps {
  jobId: string;
  folder: string;
  entry: FileEntry;
}

function OutputDownload({ jobId, folder, entry }: OutputDownloadProps) {
  const { t } = useTranslation("files");
  const path = joined(folder, entry.name);
  if (!isOpened(entry)) return null;
  const address = (entry.kind === "folder" ? outputsArchiveAddress : outputAddress)(jobId, path);
  return (
    <Button
      size="small"
      icon={<DownloadOutlined aria-hidden />}
      href={address}
      download
      aria-label={t("outputs.downloadOf", { name: shownPath(entry.name) })}
    />
  );
}
