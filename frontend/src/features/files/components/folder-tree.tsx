import { CaretDownFilled, FolderOpenOutlined } from "@ant-design/icons";
import { Tree } from "antd";
import { useState } from "react";
import type { Volume } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useFolderTree } from "../api/files";
import { type FolderNode, folderNode, foldersAlong, shownPath } from "../model/paths";
import { useTopName } from "./folder-tools";

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

interface FolderFieldProps {
  volume: Volume;
  /** The path of the chosen folder; a form gives both. */
  value?: string;
  onChange?: (path: string) => void;
}

/** A folder of the volume, chosen in its tree. */
export function FolderField({ volume, value = "", onChange = () => {} }: FolderFieldProps) {
  const top = useTopName(volume);
  return (
    <>
      <FolderTree volume={volume.id} top={top} path={value} onOpen={onChange} />
      <div role="status">
        <FolderOpenOutlined aria-hidden /> {shownPath(value) || top}
      </div>
    </>
  );
}
