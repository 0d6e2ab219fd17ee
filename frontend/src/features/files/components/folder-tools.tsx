import { FolderOpenOutlined } from "@ant-design/icons";
import { Alert } from "antd";
import type { ReactNode } from "react";
import type { FolderPage, Volume } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { NativeSelect } from "@/shared/ui/controls";
import { later } from "@/shared/ui/opening";
import { useSnapshots } from "../api/files";
import { crumbsOf, PAGE_SIZE, shownPath } from "../model/paths";
import styles from "./files.module.css";

const LaterPagination = later(async () => (await import("antd/es/pagination")).default);

interface SnapshotSelectProps {
  volume: Volume;
  snapshot: string | undefined;
  /** Empty is the volume as it is now. */
  onSnapshot: (snapshot: string) => void;
}

/** As it is now, or as it was; nothing where the storage makes no snapshots. */
export function SnapshotSelect({ volume, snapshot = "", onSnapshot }: SnapshotSelectProps) {
  const { t } = useTranslation("files");
  const names = useSnapshots(volume.id).data?.map(({ name }) => name) ?? [];
  if (names.length === 0 && !snapshot) return null;
  const shown = snapshot && !names.includes(snapshot) ? [snapshot, ...names] : names;
  return (
    <NativeSelect
      label={t("snapshot.label")}
      value={snapshot}
      options={[
        { value: "", label: t("snapshot.now") },
        ...shown.map((name) => ({ value: name, label: name })),
      ]}
      onChoose={onSnapshot}
    />
  );
}

interface PathBarProps {
  /** The name of the topmost folder. */
  top: string;
  path: string;
  link: (folder: { name: string; path: string }) => ReactNode;
  /** Stands before the path. */
  before?: ReactNode;
  actions?: ReactNode;
}

/** Where we are: each folder from the top is a link, and the place can be sent to a colleague. */
export function PathBar({ top, path, link, before, actions }: PathBarProps) {
  const { t } = useTranslation("files");
  const crumbs = [
    { name: top, path: "" },
    ...crumbsOf(path).map((crumb) => ({ ...crumb, name: shownPath(crumb.name) })),
  ];
  return (
    <nav aria-label={t("folder")} className={styles.crumbs}>
      {before ?? <FolderOpenOutlined aria-hidden />}
      <ol>
        {crumbs.map((crumb, at) => (
          <li key={crumb.path}>
            {at === crumbs.length - 1 ? (
              <strong aria-current="location">{crumb.name}</strong>
            ) : (
              link(crumb)
            )}
          </li>
        ))}
      </ol>
      {actions}
    </nav>
  );
}

/** Says that names are guessed, and what may be done about it. */
export function UnreadableNames({ count, children }: { count: number; children: ReactNode }) {
  const { t } = useTranslation("files");
  if (count === 0) return null;
  return (
    <Alert
      type="warning"
      showIcon
      style={{ marginBottom: 12 }}
      title={t("unreadable.title", { count })}
      description={children}
    />
  );
}

interface FolderPagesProps {
  folder: Pick<FolderPage, "total" | "is_cut"> | undefined;
  page: number;
  onPage: (page: number) => void;
}

/** The pages of a large folder, and a note where even they do not hold all of it. */
export function FolderPages({ folder, page, onPage }: FolderPagesProps) {
  const { t } = useTranslation("files");
  const language = useLanguage();
  if (!folder || folder.total <= PAGE_SIZE) return null;
  return (
    <>
      <LaterPagination
        style={{ marginTop: 16 }}
        current={page}
        pageSize={PAGE_SIZE}
        total={folder.total}
        showSizeChanger={false}
        showTotal={(total) => t("entries", { count: total, total: formatNumber(total, language) })}
        onChange={onPage}
      />
      {folder.is_cut && (
        <p className="second">{t("folderCut", { total: formatNumber(folder.total, language) })}</p>
      )}
    </>
  );
}

/** What the topmost folder of a volume is called. */
export function useTopName({ kind, name }: Volume): string {
  const { t } = useTranslation("files");
  return kind === "home" ? t("home") : name;
}
