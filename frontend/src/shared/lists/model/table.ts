/** Order, files and bulk runs of lists. Pure; what is read or called is handed in. */

export interface Sort {
  /** Of the column. */
  key: string;
  isDescending: boolean;
}

/** What a column is sorted by, and what stands in a file. */
export type CellValue = string | number | boolean | null;

const KEY = /^-?[a-z_]{1,40}$/i;

export function parseSort(text: unknown): Sort | null {
  if (typeof text !== "string" || !KEY.test(text)) return null;
  return { key: text.replace("-", ""), isDescending: text.startsWith("-") };
}

export function formatSort(sort: Sort | null): string | undefined {
  return sort ? `${sort.isDescending ? "-" : ""}${sort.key}` : undefined;
}

/** What a click on a column's title leads to: upwards, downwards, as the list comes. */
export function nextSort(sort: Sort | null, key: string): Sort | null {
  if (sort?.key !== key) return { key, isDescending: false };
  return sort.isDescending ? null : { key, isDescending: true };
}

/** Rows without a value come last in either direction; equal rows keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  cellOf: (row: Row) => CellValue,
  isDescending: boolean,
  language: string,
): Row[] {
  const words = new Intl.Collator(language, { numeric: true, sensitivity: "base" });
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [cellOf(a), cellOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === "string" || typeof other === "string")
      return sign * words.compare(String(one), String(other));
    return sign * (Number(one) - Number(other));
  });
}

const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;
/** So that spreadsheets read UTF-8. */
const MARK = "\ufeff";

/** A table as CSV; no text of it is taken for a formula by a spreadsheet. */
export function toCsv(head: readonly string[], rows: readonly (readonly CellValue[])[]): string {
  const lines = [head, ...rows].map((cells) => cells.map(cellText).join(","));
  return `${MARK}${lines.join("\r\n")}\r\n`;
}

function cellText(value: CellValue): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const plain = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Run one task for all items, which says of each how it ended; where it fails, it does so for each. */
export async function runTogether<Item>(
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<readonly unknown[]>,
  onEnd: (item: Item, error: unknown) => void,
): Promise<void> {
  const errors = await run(items).catch((reason: unknown) => items.map(() => reason));
  for (const [at, item] of items.entries()) onEnd(item, errors[at] ?? null);
}

/** Run a task for each item, a few at a time, and say of each how it ended. None stops the others. */
export async function runEach<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
  width: number,
  onEnd: (item: Item, error: unknown) => void,
): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const error = await run(item).then(
        () => null,
        (reason: unknown) => reason,
      );
      onEnd(item, error);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}
