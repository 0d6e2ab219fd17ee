import { CaretDownFilled, FolderOpenOutlined } from "@ant-design/icons";
import { Alert, Pagination, Select, Tree } from "antd";
import { type ReactNode, useState } from "react";
import type { FolderPage, Volume } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useFolderTree, useSnapshots } from "../api/files";
import {
  crumbsOf,
  type FileSearch,
  type FileSort,
  type FolderNode,
  folderNode,
  foldersAlong,
  PAGE_SIZE,
  shownPath,
} from "../model/paths";
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
    <Select
      aria-label={t("snapshot.label")}
      value={snapshot}
      style={{ minWidth: 170 }}
      showSearch={{ optionFilterProp: "label" }}
      options={[
        { value: "", label: t("snapshot.now") },
        ...shown.map((name) => ({ value: name, label: name })),
      ]}
      onChange={onSnapshot}
    />
  );
}

interface SortSelectProps {
  search: FileSearch;
  onSort: (order: Pick<FileSearch, "sort" | "descending">) => void;
}

/** By what the entries are sorted. */
export function SortSelect({ search, onSort }: SortSelectProps) {
  const { t } = useTranslation("files");
  const orders = [
    ["name", false],
    ["name", true],
    ["modified", true],
    ["modified", false],
    ["size", true],
    ["size", false],
  ] as const satisfies readonly (readonly [FileSort, boolean])[];
  return (
    <Select
      aria-label={t("sort.label")}
      value={`${search.sort ?? "name"}.${search.descending ?? false}`}
      style={{ minWidth: 170 }}
      options={orders.map(([sort, isDescending]) => ({
        value: `${sort}.${isDescending}`,
        label: t(`sort.${sort}${isDescending ? "Down" : "Up"}`),
      }))}
      onChange={(value: string) => {
        const [sort, isDescending] = value.split(".") as [FileSort, string];
        onSort({ sort, ...(isDescending === "true" && { descending: true }) });
      }}
    />
  );
}

interface FolderTreeProps {
  volume: string;
  /** The name of the topmost folder. */
  top: string;
  /** The folder that is shown, or chosen. */
  path: string;
  snapshot?: string | undefined;
  /** The folders in it, where a list of it knows them all. */
  listed?: readonly string[] | undefined;
  onOpen: (path: string) => void;
}

/** Higher than that it scrolls inside, and draws only what is seen of thousands of folders. */
const TREE_PX = 560;

/** The folders of a volume, read as they are opened; it is open along the path of the one shown. */
export function FolderTree({ volume, top, path, snapshot, listed, onOpen }: FolderTreeProps) {
  const { t } = useTranslation("files");
  const [open, setOpen] = useState(() => foldersAlong(path));
  const [shown, setShown] = useState(path);
  const [active, setActive] = useState<string | null>(null);
  if (shown !== path) {
    setShown(path);
    setOpen([...new Set([...open, ...foldersAlong(path)])]);
  }
  const isSeen = (folder: string) => foldersAlong(folder).every((above) => open.includes(above));
  const seen = open.filter(isSeen);
  const levels = useFolderTree({ volume, path, snapshot, open: seen, listed });
  const pathOf = (key: unknown) => String(key).slice(1).replace(/\/\/$/, "");
  return (
    <div
      onKeyDownCapture={(event) => {
        if (event.key !== "Enter" || active === null) return;
        event.preventDefault();
        event.stopPropagation();
        onOpen(active);
      }}
    >
      <Tree<FolderNode>
        aria-label={t("tree.label")}
        treeData={[folderNode(top, "", levels)]}
        titleRender={({ name, path, isMore }) =>
          isMore ? (
            <span className="second">{t("tree.more")}</span>
          ) : (
            <span data-folder={path}>{shownPath(name)}</span>
          )
        }
        // The library's own has a name, which would be read as the folder's.
        switcherIcon={<CaretDownFilled aria-hidden />}
        blockNode
        motion={false}
        height={TREE_PX}
        expandedKeys={open.map((folder) => `/${folder}`)}
        selectedKeys={[`/${path}`]}
        onExpand={(keys) => setOpen(keys.map(pathOf))}
        onActiveChange={(key) => setActive(key == null ? null : pathOf(key))}
        onSelect={(_keys, { node }) => onOpen(node.path)}
      />
    </div>
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
      <Pagination
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
