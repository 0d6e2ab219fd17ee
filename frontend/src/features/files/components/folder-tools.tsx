import { FolderOpenOutlined } from "@ant-design/icons";
import { Alert, Button, Flex } from "antd";
import type { ReactNode } from "react";
import type { FolderPage, Volume } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { NativeSelect } from "@/shared/ui/controls";
import { useSnapshots } from "../api/files";
import { crumbsOf, PAGE_SIZE } from "../model/paths";
import styles from "./files.module.css";

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
  actions?: ReactNode;
}

/** Where we are: each folder from the top is a link, and the place can be sent to a colleague. */
export function PathBar({ top, path, link, actions }: PathBarProps) {
  const { t } = useTranslation("files");
  const crumbs = [{ name: top, path: "" }, ...crumbsOf(path)];
  return (
    <nav aria-label={t("folder")} className={styles.crumbs}>
      <FolderOpenOutlined aria-hidden />
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

/** Says that entries are not shown, and what may be done with them. */
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
  const last = Math.ceil(folder.total / PAGE_SIZE);
  const number = (amount: number) => formatNumber(amount, language);
  return (
    <>
      <Flex component="nav" gap={8} align="center" wrap style={{ marginTop: 16 }}>
        <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
          {t("pages.before")}
        </Button>
        <span className="num">{t("pages.at", { page, last: number(last) })}</span>
        <Button disabled={page >= last} onClick={() => onPage(page + 1)}>
          {t("pages.after")}
        </Button>
        <span className="second">
          {t("entries", { count: folder.total, total: number(folder.total) })}
        </span>
      </Flex>
      {folder.is_cut && <p className="second">{t("folderCut", { total: number(folder.total) })}</p>}
    </>
  );
}
