import { Button, Drawer, Flex } from "antd";
import { useEffect, useMemo, useState } from "react";
import type { FileEntry } from "@/shared/api/types";
import { formatBytes } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useContent } from "../api/files";
import { imageType, previewKind } from "../model/paths";
import { decodeText, type NotebookCell, readNotebook, readTable, TEXT_MAX } from "../model/preview";
import styles from "./files.module.css";

interface FilePreviewProps {
  /** Where its bytes are. */
  address: string;
  entry: FileEntry;
  onClose: () => void;
}

/** A look into one file. Nothing in it runs: text is shown as text, and images are only drawn. */
export function FilePreview({ address, entry, onClose }: FilePreviewProps) {
  const { t } = useTranslation("files");
  const language = useLanguage();
  return (
    <Drawer
      open
      size={960}
      title={<span className={styles.title}>{entry.name}</span>}
      onClose={onClose}
      extra={
        <Button href={address} download>
          {t("download")}
        </Button>
      }
    >
      <Flex vertical gap={12}>
        <p className="second">
          {formatBytes(entry.size, language)} · <Age at={entry.modified_at} />
        </p>
        <PreviewContent address={address} entry={entry} />
      </Flex>
    </Drawer>
  );
}

function PreviewContent({ address, entry }: { address: string; entry: FileEntry }) {
  const { t } = useTranslation("files");
  const kind = previewKind(entry);
  const most = kind === "image" || kind === "notebook" ? entry.size : TEXT_MAX;
  const content = useContent(address, Math.max(most, 1), entry.modified_at);
  if (kind === "none")
    return <EmptyState title={t("noPreview.title")} text={t("noPreview.tooLarge")} />;
  return (
    <QueryBoundary query={content}>
      {(bytes) => {
        if (kind === "image") return <ImagePreview bytes={bytes} name={entry.name} />;
        return <TextContent bytes={bytes} kind={kind} entry={entry} />;
      }}
    </QueryBoundary>
  );
}

/** Drawn from a copy in memory, as an image: a script in an SVG does not run. */
function ImagePreview({ bytes, name }: { bytes: Uint8Array; name: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes.slice()], { type: imageType(name) ?? "" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, name]);
  return address ? <img src={address} alt={name} className={styles.image} /> : null;
}

interface TextContentProps {
  bytes: Uint8Array;
  kind: "text" | "table" | "notebook";
  entry: FileEntry;
}

function TextContent({ bytes, kind, entry }: TextContentProps) {
  const { t } = useTranslation("files");
  const language = useLanguage();
  const text = useMemo(() => decodeText(bytes), [bytes]);
  if (text === null)
    return <EmptyState title={t("noPreview.title")} text={t("noPreview.binary")} />;
  const isWhole = bytes.length >= entry.size;
  const cells = kind === "notebook" ? readNotebook(text) : null;
  if (cells) return <NotebookPreview cells={cells} />;
  if (kind === "table") return <TableView text={text} isWhole={isWhole} name={entry.name} />;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has its focus */}
      <pre className={styles.text} tabIndex={0}>
        {text}
      </pre>
      {!isWhole && <p className="second">{t("cut", { size: formatBytes(TEXT_MAX, language) })}</p>}
    </>
  );
}

function TableView({ text, isWhole, name }: { text: string; isWhole: boolean; name: string }) {
  const { t } = useTranslation("files");
  const { head, rows, isCut } = useMemo(() => readTable(text, isWhole), [text, isWhole]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has its focus */}
      <section className={styles.scroll} aria-label={name} tabIndex={0}>
        <table className={styles.cells}>
          <thead>
            <tr>
              {head.map((title, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
                <th key={at} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
              <tr key={at}>
                {row.map((cell, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {isCut && <p className="second">{t("rowsCut", { count: rows.length })}</p>}
    </>
  );
}

/** The cells of a notebook as they were saved. */
function NotebookPreview({ cells }: { cells: readonly NotebookCell[] }) {
  return (
    <div className={styles.notebook}>
      {cells.map((cell, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells are never moved here
        <NotebookCellView key={at} cell={cell} />
      ))}
    </div>
  );
}

function NotebookCellView({ cell }: { cell: NotebookCell }) {
  return (
    <div className={styles.cell} data-kind={cell.kind}>
      {cell.kind === "code" && <span className="second mono">[{cell.count ?? " "}]</span>}
      <pre>{cell.source}</pre>
      {cell.outputs.map(({ image, text, isError }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs are never moved
        <div key={at} className={styles.output} data-error={isError}>
          {image ? <img src={image} alt="" className={styles.image} /> : <pre>{text}</pre>}
        </div>
      ))}
    </div>
  );
}
