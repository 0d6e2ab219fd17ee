import { Button, Drawer, Flex, Segmented } from "antd";
import { type ReactNode, Suspense, useEffect, useMemo, useState } from "react";
import type { FileEntry } from "@/shared/api/types";
import { formatBytes } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import type { MarkdownProps } from "@/shared/markdown/markdown";
import { lazyWithRetry } from "@/shared/ui/opening";
import { EmptyState, Loading, QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useContent } from "../api/files";
import { imageType, joined, nameOf, pathFrom, previewKind } from "../model/paths";
import {
  type CellOutput,
  decodeText,
  MARKDOWN_MAX,
  type NotebookCell,
  readNotebook,
  readTable,
  TEXT_MAX,
} from "../model/preview";
import styles from "./files.module.css";

const LaterMarkdown = lazyWithRetry(
  async () => (await import("@/shared/markdown/markdown")).Markdown,
);

/** Where a file lies, and its neighbours. */
export interface FilePlace {
  folder: string;
  /** Where the bytes of a path are. */
  addressOf: (path: string) => string;
  /** Leads to the file of a path. */
  link: (path: string, shown: ReactNode) => ReactNode;
}

interface FilePreviewProps {
  place: FilePlace;
  entry: FileEntry;
  onClose: () => void;
}

/** A look into one file. Nothing in it runs: text is shown as text, and images are only drawn. */
export function FilePreview({ place, entry, onClose }: FilePreviewProps) {
  const { t } = useTranslation("files");
  const address = place.addressOf(joined(place.folder, entry.name));
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
        <PreviewContent address={address} place={place} entry={entry} />
      </Flex>
    </Drawer>
  );
}

interface PreviewContentProps {
  address: string;
  place: FilePlace;
  entry: FileEntry;
}

function PreviewContent({ address, place, entry }: PreviewContentProps) {
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
        return <TextContent bytes={bytes} kind={kind} place={place} entry={entry} />;
      }}
    </QueryBoundary>
  );
}

/** Drawn from a copy in memory, as an image: a script in an SVG does not run. */
function ImagePreview({
  bytes,
  name,
  alt = name,
}: {
  bytes: Uint8Array;
  name: string;
  alt?: string;
}) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes.slice()], { type: imageType(name) ?? "" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, name]);
  return address ? <img src={address} alt={alt} className={styles.image} /> : null;
}

/** Larger ones are not fetched for a text that shows them. */
const SHOWN_IMAGE_MAX = 4 * 1024 * 1024;

/** An image that a text shows; its words until it is there, and where there is none. */
function NeighbourImage({ address, path, alt }: { address: string; path: string; alt: string }) {
  const { data } = useContent(address, SHOWN_IMAGE_MAX, "");
  const isWhole = data && data.length > 0 && data.length < SHOWN_IMAGE_MAX;
  return isWhole ? <ImagePreview bytes={data} name={nameOf(path)} alt={alt} /> : alt || path;
}

interface MarkdownTextProps extends Pick<MarkdownProps, "text" | "attachments"> {
  place: FilePlace;
}

/** Rendered, unless it is too long for that; links and images reach no further than its volume. */
function MarkdownText({ place, ...text }: MarkdownTextProps) {
  const { folder, addressOf, link } = place;
  if (text.text.length > MARKDOWN_MAX) return <pre className={styles.text}>{text.text}</pre>;
  return (
    <Suspense fallback={<Loading rows={2} />}>
      <LaterMarkdown
        {...text}
        link={(target, shown) => {
          const path = pathFrom(folder, target);
          return path && link(path, shown);
        }}
        image={(target, alt) => {
          const path = pathFrom(folder, target);
          if (!path || !imageType(nameOf(path))) return null;
          return <NeighbourImage address={addressOf(path)} path={path} alt={alt} />;
        }}
      />
    </Suspense>
  );
}

interface TextContentProps {
  bytes: Uint8Array;
  kind: "text" | "markdown" | "table" | "notebook";
  place: FilePlace;
  entry: FileEntry;
}

function TextContent({ bytes, kind, place, entry }: TextContentProps) {
  const { t } = useTranslation("files");
  const language = useLanguage();
  const text = useMemo(() => decodeText(bytes), [bytes]);
  if (text === null)
    return <EmptyState title={t("noPreview.title")} text={t("noPreview.binary")} />;
  const isWhole = bytes.length >= entry.size;
  const cells = kind === "notebook" ? readNotebook(text) : null;
  if (cells) return <NotebookPreview cells={cells} place={place} />;
  if (kind === "table") return <TableView text={text} isWhole={isWhole} name={entry.name} />;
  const mayRender = kind === "markdown" && text.length <= MARKDOWN_MAX;
  return (
    <>
      {mayRender ? <MarkdownFile text={text} place={place} /> : <Source text={text} />}
      {!isWhole && <p className="second">{t("cut", { size: formatBytes(TEXT_MAX, language) })}</p>}
    </>
  );
}

function Source({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has its focus
    <pre className={styles.text} tabIndex={0}>
      {text}
    </pre>
  );
}

function MarkdownFile({ text, place }: { text: string; place: FilePlace }) {
  const { t } = useTranslation("files");
  const [view, setView] = useState<"rendered" | "source">("rendered");
  return (
    <>
      <Segmented
        aria-label={t("view.label")}
        className={styles.view ?? ""}
        options={(["rendered", "source"] as const).map((value) => ({
          value,
          label: t(`view.${value}`),
        }))}
        value={view}
        onChange={setView}
      />
      {view === "rendered" ? <MarkdownText text={text} place={place} /> : <Source text={text} />}
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
function NotebookPreview({ cells, place }: { cells: readonly NotebookCell[]; place: FilePlace }) {
  return (
    <div className={styles.notebook}>
      {cells.map((cell, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells are never moved here
        <NotebookCellView key={at} cell={cell} place={place} />
      ))}
    </div>
  );
}

function NotebookCellView({ cell, place }: { cell: NotebookCell; place: FilePlace }) {
  if (cell.kind === "markdown")
    return <MarkdownText text={cell.source} attachments={cell.attachments} place={place} />;
  return (
    <div className={styles.cell} data-kind={cell.kind}>
      {cell.kind === "code" && <span className="second mono">[{cell.count ?? " "}]</span>}
      <pre>{cell.source}</pre>
      {cell.outputs.map((output, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs are never moved
        <div key={at} className={styles.output} data-error={output.isError}>
          <OutputView output={output} place={place} />
        </div>
      ))}
    </div>
  );
}

function OutputView({ output, place }: { output: CellOutput; place: FilePlace }) {
  const { t } = useTranslation("files");
  const { image, markdown, text, hidden } = output;
  if (image) return <img src={image} alt="" className={styles.image} />;
  if (markdown) return <MarkdownText text={markdown} place={place} />;
  if (hidden) return <p className="second">{t("outputHidden", { types: hidden })}</p>;
  return <pre>{text}</pre>;
}
