/** The table of every list: sorted, with the columns its reader chose, as a file, and many rows at once. */
import { Button } from "antd";
import { createContext, type Key, type ReactNode, use } from "react";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Tick } from "@/shared/ui/controls";
import { type Column, ColumnTitle, DataTable } from "@/shared/ui/data-table";
import { QueryBoundary, type QueryLike } from "@/shared/ui/query-states";
import { type SortState, useAddress, useKeptList, useListSort } from "../api/address";
import { useViewInAddress } from "../api/views";
import { isShown, type KeptList } from "../model/kept";
import { type CellValue, nextSort, type Sort, sortRows } from "../model/table";
import type { ListName } from "../model/views";
import { type Bulk, BulkBar, useSelection } from "./bulk-bar";
import { ListTools } from "./list-tools";
import styles from "./lists.module.css";

/** A column whose plain value is known: the table can be sorted by it, and files have it. */
export interface ListColumn<Row> extends Column<Row> {
  /** Shown only to readers who chose it. */
  isExtra?: boolean;
  value?: (row: Row) => CellValue;
}

export interface ListTableProps<Row> {
  /** Under this name the browser keeps columns and density. */
  id: string;
  label: string;
  columns: readonly ListColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => Key;
  empty?: ReactNode;
  /** Keys of columns that the server sorts by; without them the table sorts what it has. */
  serverSorts?: readonly string[];
  /** The address of the list as a file; without it the browser writes the rows that it has. */
  file?: string;
  /** Reads all rows for the file where only some are listed. */
  loadAll?: () => Promise<readonly Row[]>;
  bulk?: Bulk<Row>;
  /** Reads the next rows; absent when all are listed. */
  onMore?: (() => void) | undefined;
  isLoadingMore?: boolean;
  /** What the next rows are called. */
  moreLabel?: string;
  /** The word of its order in the address, where a page has several tables. */
  sortName?: string;
  /** Its order where that is not a word of its own in the address, as in drawers; see `useOwnSort`. */
  order?: SortState;
  /** Where its order and its filters are the page's: the list that views are of. */
  views?: ListName;
}

export function ListTable<Row>(props: ListTableProps<Row>) {
  const { id, label, columns, rows, rowKey, empty, serverSorts, bulk } = props;
  const language = useLanguage();
  const inAddress = useListSort(props.sortName ?? "sort");
  const [sort, setSort] = props.order ?? inAddress;
  const [kept, keep] = useShownColumns(id, props.views);
  const sortable = (key: string) =>
    serverSorts
      ? serverSorts.includes(key)
      : columns.some((column) => column.key === key && column.value);
  const by = sort && sortable(sort.key) ? sort : null;
  const sorted = serverSorts ? rows : sortedBy(rows, columns, by, language);
  const shown = columns.filter((column) => isShown(column, kept));
  const marks = useMarks(sorted, rowKey, bulk);
  return (
    <div className={styles.list} data-dense={kept.isDense}>
      {(rows.length > 0 || props.views) && (
        <ListTools
          {...props}
          rows={sorted}
          shown={shown}
          sorts={columns.filter(({ key }) => sortable(key))}
          sort={by}
          onSort={setSort}
          kept={kept}
          onKeep={keep}
        />
      )}
      {marks.bar}
      <MarksContext value={marks.state}>
        <DataTable
          label={label}
          columns={[...marks.columns, ...shown]}
          rows={sorted}
          rowKey={rowKey}
          empty={empty}
          sortOf={(key) => (sortable(key) ? directionOf(by, key) : undefined)}
          head={(column) => {
            if (column.key === SELECT) return marks.head;
            if (!sortable(column.key)) return <ColumnTitle of={column} />;
            return <SortButton column={column} sort={by} onSort={setSort} />;
          }}
        />
      </MarksContext>
      <More {...props} />
    </div>
  );
}

/** What this browser keeps, with the columns of the view that is open; other columns are no longer its. */
function useShownColumns(
  id: string,
  views: ListName | undefined,
): [KeptList, (patch: Partial<KeptList>) => void] {
  const [kept, keep] = useKeptList(id);
  const view = useViewInAddress(views);
  const { change } = useAddress();
  if (!view) return [kept, keep];
  return [
    { ...kept, hidden: view.hidden, shown: view.shown },
    (patch) => {
      keep({ hidden: view.hidden, shown: view.shown, ...patch });
      if (patch.hidden || patch.shown) change({ view: undefined });
    },
  ];
}

function More<Row>({ onMore, isLoadingMore = false, moreLabel }: ListTableProps<Row>) {
  const { t } = useTranslation("ui");
  if (!onMore) return null;
  return (
    <div>
      <Button onClick={onMore} loading={isLoadingMore}>
        {moreLabel ?? t("loadMore")}
      </Button>
    </div>
  );
}

function sortedBy<Row>(
  rows: readonly Row[],
  columns: readonly ListColumn<Row>[],
  sort: Sort | null,
  language: string,
): readonly Row[] {
  const cellOf = columns.find(({ key }) => key === sort?.key)?.value;
  return sort && cellOf ? sortRows(rows, cellOf, sort.isDescending, language) : rows;
}

interface ListQueryProps<Row> extends Omit<ListTableProps<Row>, "rows"> {
  query: QueryLike<readonly Row[]>;
  skeletonRows?: number;
  canRetry?: boolean;
}

/** The same of what a query returns, in all its conditions. */
export function ListOfQuery<Row>(props: ListQueryProps<Row>) {
  const { query, skeletonRows = 4, canRetry = true, ...table } = props;
  return (
    <QueryBoundary query={query} rows={skeletonRows} canRetry={canRetry}>
      {(rows) => <ListTable {...table} rows={rows} />}
    </QueryBoundary>
  );
}

const SELECT = "__select";

interface Marks {
  keys: ReadonlySet<Key>;
  mark: (key: Key, isOn: boolean, isRange: boolean) => void;
}

/** Read by each mark, which so changes at once: the rows around it may still be those of before. */
const MarksContext = createContext<Marks>({ keys: new Set(), mark: () => {} });

/** What a table of rows that can be selected needs: a bar, a column of marks, and its head for all. */
function useMarks<Row>(
  rows: readonly Row[],
  rowKey: (row: Row) => Key,
  bulk: Bulk<Row> | undefined,
): { bar: ReactNode; columns: Column<Row>[]; head: ReactNode; state: Marks } {
  const { t } = useTranslation("lists");
  const selection = useSelection(rows, rowKey, bulk);
  if (!bulk) return { bar: null, columns: [], head: null, state: selection };
  const column: Column<Row> = {
    key: SELECT,
    title: t("select.column"),
    isShort: true,
    cell: (row) =>
      selection.canSelect(row) && <SelectRow of={rowKey(row)} name={bulk.nameOf(row)} />,
  };
  return {
    bar: <BulkBar bulk={bulk} selection={selection} />,
    columns: selection.some ? [column] : [],
    head: <SelectAll selection={selection} />,
    state: selection,
  };
}

function SelectRow({ of, name }: { of: Key; name: string }) {
  const { t } = useTranslation("lists");
  const { keys, mark } = use(MarksContext);
  return (
    <Tick
      label={t("select.row", { name })}
      isOn={keys.has(of)}
      onChange={(isOn, isRange) => mark(of, isOn, isRange)}
    />
  );
}

function SelectAll<Row>({ selection }: { selection: ReturnType<typeof useSelection<Row>> }) {
  const { t } = useTranslation("lists");
  const { rows, selectable } = selection;
  return (
    <Tick
      label={t("select.all")}
      isOn={rows.length > 0 && rows.length === selectable.length}
      isPartly={rows.length > 0 && rows.length < selectable.length}
      onChange={(isOn) => selection.select(selectable, isOn)}
    />
  );
}

interface SortButtonProps {
  column: Pick<Column<unknown>, "key" | "title" | "isMoment">;
  sort: Sort | null;
  onSort: (sort: Sort | null) => void;
}

/** The title of a column; the direction stands in `aria-sort` of its cell. */
function SortButton({ column, sort, onSort }: SortButtonProps) {
  const arrow = sort?.key === column.key ? (sort.isDescending ? "▼" : "▲") : "↕";
  return (
    <button
      type="button"
      className={styles.sort}
      onClick={() => onSort(nextSort(sort, column.key))}
    >
      <ColumnTitle of={column} /> <span aria-hidden="true">{arrow}</span>
    </button>
  );
}

function directionOf(sort: Sort | null, key: string): "ascending" | "descending" | "none" {
  if (sort?.key !== key) return "none";
  return sort.isDescending ? "descending" : "ascending";
}

/** For `onMore` of a list that comes page by page. */
export function moreOf(query: { hasNextPage: boolean; fetchNextPage: () => unknown }) {
  return query.hasNextPage ? () => void query.fetchNextPage() : undefined;
}
