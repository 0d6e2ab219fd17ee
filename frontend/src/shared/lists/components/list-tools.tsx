/** What stands above a table: how much is listed, its order on phones, columns, views, the file. */
import { Button } from "antd";
import { type KeyboardEvent, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { NativeSelect, Tick } from "@/shared/ui/controls";
import { prefetched } from "@/shared/ui/opening";
import { Loading, useProblemMessage } from "@/shared/ui/query-states";
import { isShown, type KeptList, withColumn } from "../model/kept";
import { formatSort, parseSort, type Sort, toCsv } from "../model/table";
import type { ListColumn, ListTableProps } from "./list-table";
import styles from "./lists.module.css";

const LaterViews = prefetched(async () => (await import("./views")).Views);

interface ListToolsProps<Row> extends ListTableProps<Row> {
  /** The columns that are not hidden. */
  shown: readonly ListColumn<Row>[];
  /** The columns that it can be sorted by. */
  sorts: readonly ListColumn<Row>[];
  sort: Sort | null;
  onSort: (sort: Sort | null) => void;
  kept: KeptList;
  onKeep: (patch: Partial<KeptList>) => void;
}

export function ListTools<Row>(props: ListToolsProps<Row>) {
  const { rows, onMore, sorts, columns, kept, onKeep, views } = props;
  const { t } = useTranslation("lists");
  return (
    <div className={styles.tools}>
      <span role="status" className={styles.count}>
        {t(onMore ? "countMore" : "count", { count: rows.length })}
      </span>
      {sorts.length > 0 && <PhoneSort {...props} />}
      {views && (
        <Fold label={t("views.label")}>
          <LaterViews list={views} kept={kept} />
        </Fold>
      )}
      <Fold label={t("columns.label")}>
        <fieldset>
          <legend>{t("columns.shown")}</legend>
          {columns.map((column, place) => (
            <Tick
              key={column.key}
              isFixed={place === 0}
              isOn={isShown(column, kept)}
              onChange={(isOn) => onKeep(withColumn(column, isOn, kept))}
            >
              {column.title}
            </Tick>
          ))}
        </fieldset>
        <Tick isOn={kept.isDense} onChange={(isDense) => onKeep({ isDense })}>
          {t("columns.dense")}
        </Tick>
      </Fold>
      <FileButton {...props} />
    </div>
  );
}

/** On phones the table is a list of cards, without titles to press. */
function PhoneSort<Row>({ sorts, sort, onSort }: ListToolsProps<Row>) {
  const { t } = useTranslation("lists");
  const options = sorts.flatMap(({ key, title }) => [
    { value: key, label: t("sort.up", { column: title }) },
    { value: `-${key}`, label: t("sort.down", { column: title }) },
  ]);
  return (
    <span className={styles.phoneSort}>
      <NativeSelect
        label={t("sort.label")}
        value={formatSort(sort) ?? ""}
        options={[{ value: "", label: t("sort.none") }, ...options]}
        onChoose={(value) => onSort(parseSort(value))}
      />
    </span>
  );
}

/** The list as CSV: all rows of its filters, by the server or from what is loaded. */
function FileButton<Row>(props: ListToolsProps<Row>) {
  const { id, label, columns, rows, file, loadAll } = props;
  const { t } = useTranslation("lists");
  const showProblem = useProblemMessage();
  const [isLoading, setLoading] = useState(false);
  const valued = columns.flatMap(({ title, value }) => (value ? [{ title, value }] : []));
  if (rows.length === 0 || (!file && valued.length === 0)) return null;
  const name = t("file.name", { list: label });
  if (file) {
    return (
      <Button size="small" href={file} download={`${id}.csv`} aria-label={name}>
        {t("file.label")}
      </Button>
    );
  }
  const write = async () => {
    setLoading(true);
    try {
      const all = loadAll ? await loadAll() : rows;
      const lines = all.map((row) => valued.map(({ value }) => value(row)));
      const head = valued.map(({ title }) => title);
      download(toCsv(head, lines), `${id}.csv`);
    } catch (error) {
      showProblem(error as Error);
    } finally {
      setLoading(false);
    }
  };
  return (
    <Button size="small" loading={isLoading} aria-label={name} onClick={() => void write()}>
      {t("file.label")}
    </Button>
  );
}

function download(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}

interface FoldProps {
  label: string;
  children: ReactNode;
}

/** Popups of selects lie elsewhere in the document. */
const POPUPS = ".ant-select-dropdown";

/** A button with a small panel under it; Escape, or a press elsewhere, closes it. */
export function Fold({ label, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const leave = ({ target }: Event) => {
      if (!(target instanceof Element) || target.closest(POPUPS)) return;
      if (!place.current?.contains(target)) setOpen(false);
    };
    const watched = ["pointerdown", "focusin"] as const;
    for (const name of watched) document.addEventListener(name, leave);
    return () => {
      for (const name of watched) document.removeEventListener(name, leave);
    };
  }, [isOpen]);
  const closeOnEscape = ({ key }: KeyboardEvent) => key === "Escape" && setOpen(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches what its controls pass on
    <span ref={place} className={styles.fold} onKeyDown={closeOnEscape}>
      <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label} <span aria-hidden="true">▾</span>
      </Button>
      {isOpen && (
        <section className={styles.panel} aria-label={label}>
          <Suspense fallback={<Loading rows={3} />}>{children}</Suspense>
        </section>
      )}
    </span>
  );
}
