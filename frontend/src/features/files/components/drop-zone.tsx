import { type ReactNode, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { type ChosenFile, droppedFiles } from "../api/uploads";
import { joined, nameOf, shownPath } from "../model/paths";
import styles from "./files.module.css";

interface DropZoneProps {
  isActive: boolean;
  /** The folder that is shown. */
  folder: string;
  onDropped: (files: readonly ChosenFile[], folder: string) => void;
  children: ReactNode;
}

/** Files and folders dropped on a folder of the list or tree are uploaded into it, else into the one shown. */
export function DropZone({ isActive, folder, onDropped, children }: DropZoneProps) {
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
