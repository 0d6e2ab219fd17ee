/** Pages of a list: what they are asked with, and all of them for a file. */
import { nextCursor } from "@/shared/api/client";

/** Rows that are asked for at once, and rows of one file. */
export const FILE_PAGE = 200;
const FILE_ROWS_MAX = 10_000;

interface Page<Row> {
  results: Row[];
  next?: string | null;
}

/** Without what is not set: the server takes no empty filter. */
export function known<Query extends object>(query: Query) {
  const set = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Name in keyof Query]: Exclude<Query[Name], undefined> };
}

/** The first rows of a list, page after page. */
export async function loadPages<Row>(
  load: (cursor: string | undefined) => Promise<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await load(cursor);
    rows.push(...page.results);
    cursor = nextCursor(page);
  } while (cursor && rows.length < FILE_ROWS_MAX);
  return rows.slice(0, FILE_ROWS_MAX);
}
