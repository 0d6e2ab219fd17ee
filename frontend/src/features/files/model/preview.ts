/** What the bytes of a file say: text in its encoding, rows of a table, cells of a notebook. Pure. */
import Papa from "papaparse";

/** Bytes of a text that are fetched and shown. */
export const TEXT_MAX = 512 * 1024;
const ROWS_MAX = 500;
const COLUMNS_MAX = 100;

/** The text of these bytes, UTF-8 or else GB 18030; null for what is no text. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  for (const encoding of ["utf-8", "gb18030"]) {
    try {
      // A character that the end of the part has cut is left out, not a fault.
      return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    } catch {}
  }
  return null;
}

export interface TablePreview {
  head: string[];
  rows: string[][];
  isCut: boolean;
}

/** The first rows of a comma- or tab-separated text. */
export function readTable(text: string, isWhole: boolean): TablePreview {
  const { data } = Papa.parse<string[]>(text, { preview: ROWS_MAX + 2, skipEmptyLines: true });
  // The last line of a part may be cut.
  const whole = isWhole || data.length > ROWS_MAX + 1 ? data : data.slice(0, -1);
  const [head = [], ...rows] = whole.map((row) => row.slice(0, COLUMNS_MAX));
  return { head, rows: rows.slice(0, ROWS_MAX), isCut: !isWhole || rows.length > ROWS_MAX };
}

export interface NotebookCell {
  kind: "markdown" | "code" | "raw";
  source: string;
  count: number | null;
  outputs: CellOutput[];
}

export interface CellOutput {
  /** An image as a data address; it is drawn, nothing in it runs. */
  image?: string;
  text?: string;
  isError: boolean;
}

const DRAWN = ["image/png", "image/jpeg"];

/** The cells of a notebook (nbformat 4); null if it is none. HTML and scripts in it are not shown. */
export function readNotebook(text: string): NotebookCell[] | null {
  try {
    const { cells } = JSON.parse(text) as { cells?: unknown };
    return Array.isArray(cells) ? cells.map(readCell) : null;
  } catch {
    return null;
  }
}

function readCell(cell: Record<string, unknown>): NotebookCell {
  const kind = cell.cell_type === "code" || cell.cell_type === "markdown" ? cell.cell_type : "raw";
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.map(readOutput) : [];
  const count = typeof cell.execution_count === "number" ? cell.execution_count : null;
  return { kind, source: lines(cell.source), count, outputs };
}

function readOutput(output: Record<string, unknown>): CellOutput {
  if (output.output_type === "error")
    return { text: plain(lines(output.traceback, "\n")) || String(output.evalue), isError: true };
  if (output.output_type === "stream")
    return { text: plain(lines(output.text)), isError: output.name === "stderr" };
  const data = (output.data ?? {}) as Record<string, unknown>;
  const drawn = DRAWN.find((type) => typeof data[type] === "string" || Array.isArray(data[type]));
  if (drawn)
    return {
      image: `data:${drawn};base64,${lines(data[drawn]).replaceAll(/\s/g, "")}`,
      isError: false,
    };
  return { text: plain(lines(data["text/plain"])), isError: false };
}

function lines(value: unknown, between = ""): string {
  if (Array.isArray(value)) return value.map(String).join(between);
  return typeof value === "string" ? value : "";
}

/** Without the colours of a terminal. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return text.replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, "");
}
