import {
  type AriaAttributes,
  type Key,
  memo,
  type ReactNode,
  useDeferredValue,
  useSyncExternalStore,
} from "react";
import { formatZone } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import styles from "./data-table.module.css";
import { useNow } from "./time";

/** A column that can also be a line of a card: every cell is rendered from the whole row. */
export interface Column<Row> {
  key: string;
  title: string;
  /** One short word or number: kept on one line. */
  isShort?: boolean;
  /** Its cells are moments without a zone, which the head names. */
  isMoment?: boolean;
  cell: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => Key;
  /** Shown instead of a table without rows. */
  empty?: ReactNode;
  /** What stands in the head of a column instead of its title. */
  head?: (column: Column<Row>) => ReactNode;
  /** Of a column that can be sorted by: in which direction it is. */
  sortOf?: (key: string) => AriaAttributes["aria-sort"];
}

/** More than a screen shows. The others follow in pauses, and a place is kept for them until then. */
const ROWS_FIRST = 24;
const ROW_PX = 44;

/**
 * A table where there is room, a list of cards where there is not. The server searches, filters
 * and pages, so a plain table is enough. Rows follow what is asked of them a moment later: what must
 * change at once in a cell, as a mark, reads a context or has a state of its own.
 */
export function DataTable<Row>({ empty, ...props }: DataTableProps<Row>) {
  const isWide = useIsWide();
  const { head, sortOf, ...given } = props;
  // A press is answered before hundreds of rows are drawn anew: on a head, or on what opens a dialog.
  const shown = useDeferredValue(given);
  const drawn = useDeferredValue(shown.rows.length, ROWS_FIRST);
  const left = shown.rows.length - drawn;
  if (props.rows.length === 0 && empty !== undefined) return empty;
  const body = { ...shown, drawn };
  return (
    <>
      {isWide ? <Rows {...{ head, sortOf, body }} /> : <Cards {...body} />}
      {left > 0 && <div style={{ height: left * ROW_PX }} />}
    </>
  );
}

/** Whether there is room for more than one column. */
export function useIsWide(): boolean {
  return useSyncExternalStore(watchWidth, () => wide().matches);
}

function wide(): MediaQueryList {
  return matchMedia("(min-width: 768px)");
}

function watchWidth(listener: () => void): () => void {
  const query = wide();
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

interface BodyProps<Row>
  extends Pick<DataTableProps<Row>, "label" | "columns" | "rows" | "rowKey"> {
  /** How many of the rows. */
  drawn: number;
}

/** The title of a column, with the reader's time zone where its cells are moments. */
export function ColumnTitle({
  of: { title, isMoment },
}: {
  of: Pick<Column<unknown>, "title" | "isMoment">;
}) {
  const language = useLanguage();
  const now = useNow();
  return isMoment ? `${title} (${formatZone(now, language)})` : title;
}

interface RowsProps<Row> {
  head: DataTableProps<Row>["head"];
  sortOf: DataTableProps<Row>["sortOf"];
  body: BodyProps<Row>;
}

function Rows<Row>({ head, sortOf, body }: RowsProps<Row>) {
  return (
    <div className={styles.scroll}>
      <table aria-label={body.label} className={styles.table}>
        <thead>
          <tr>
            {body.columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                data-short={column.isShort}
                aria-sort={sortOf?.(column.key)}
              >
                {head ? head(column) : <ColumnTitle of={column} />}
              </th>
            ))}
          </tr>
        </thead>
        <Body {...body} />
      </table>
    </div>
  );
}

// Not drawn anew while they are those of before.
const Body = memo(BodyRows) as typeof BodyRows;
const Cards = memo(BodyCards) as typeof BodyCards;

function BodyRows<Row>({ columns, rows, rowKey, drawn }: BodyProps<Row>) {
  return (
    <tbody>
      {rows.slice(0, drawn).map((row) => (
        <tr key={rowKey(row)}>
          {columns.map(({ key, cell, isShort }) => (
            <td key={key} data-short={isShort}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function BodyCards<Row>({ label, columns, rows, rowKey, drawn }: BodyProps<Row>) {
  return (
    <ul aria-label={label} className={styles.cards}>
      {rows.slice(0, drawn).map((row) => (
        <li key={rowKey(row)}>
          {columns.map((column) => (
            <CardCell
              key={column.key}
              title={<ColumnTitle of={column} />}
              content={column.cell(row)}
            />
          ))}
        </li>
      ))}
    </ul>
  );
}

/** A cell with nothing in it needs no line of its own. */
function CardCell({ title, content }: { title: ReactNode; content: ReactNode }) {
  if (!content) return null;
  return (
    <div className={styles.line}>
      <span className={styles.title}>{title}</span>
      <span>{content}</span>
    </div>
  );
}
