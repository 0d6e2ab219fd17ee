/** What the bytes of a file say: text in its encoding, rows of a table, cells of a notebook. Pure. */
import Papa from "papaparse";

/** Bytes of a text that are fetched and shown. */
export const TEXT_MAX = 512 * 1024;
/** Letters of Markdown that are rendered; longer ones are shown as they are written. */
export const MARKDOWN_MAX = 64 * 1024;
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
  /** Images that a Markdown cell brings along: their data addresses by name. */
  attachments: ReadonlyMap<string, string>;
}

export interface CellOutput {
  /** An image as a data address; it is drawn, nothing in it runs. */
  image?: string;
  markdown?: string;
  text?: string;
  /** Kinds of content that are not shown. */
  hidden?: string;
  isError: boolean;
}

type NotebookFields = Record<string, unknown>;

const DRAWN = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const SVG = "image/svg+xml";

/** The cells of a notebook (nbformat 3 and 4); null if it is none. HTML and scripts are not shown. */
export function readNotebook(text: string): NotebookCell[] | null {
  try {
    const { cells, worksheets } = fieldsOf(JSON.parse(text));
    const all = cells ?? (Array.isArray(worksheets) ? worksheets.flatMap(cellsOf) : null);
    return Array.isArray(all) ? all.map((cell) => readCell(fieldsOf(cell))) : null;
  } catch {
    return null;
  }
}

function fieldsOf(value: unknown): NotebookFields {
  return typeof value === "object" && value !== null ? (value as NotebookFields) : {};
}

function cellsOf(worksheet: unknown): unknown[] {
  const { cells } = fieldsOf(worksheet);
  return Array.isArray(cells) ? cells : [];
}

function readCell(cell: NotebookFields): NotebookCell {
  const count = cell.execution_count ?? cell.prompt_number;
  return {
    ...contentOf(cell),
    count: typeof count === "number" ? count : null,
    outputs: Array.isArray(cell.outputs)
      ? cell.outputs.map((output) => readOutput(fieldsOf(output)))
      : [],
    attachments: new Map(
      Object.entries(fieldsOf(cell.attachments)).flatMap(([name, data]) => {
        const image = imageIn(fieldsOf(data));
        return image ? [[name, image] as const] : [];
      }),
    ),
  };
}

function contentOf(cell: NotebookFields): Pick<NotebookCell, "kind" | "source"> {
  const source = lines(cell.source ?? cell.input);
  if (cell.cell_type === "heading") {
    const level = Math.min(Math.max(Math.trunc(Number(cell.level)) || 1, 1), 6);
    return { kind: "markdown", source: `${"#".repeat(level)} ${source}` };
  }
  const kind = cell.cell_type === "code" || cell.cell_type === "markdown" ? cell.cell_type : "raw";
  return { kind, source };
}

function readOutput(output: NotebookFields): CellOutput {
  const isError = output.output_type === "error" || output.output_type === "pyerr";
  if (isError)
    return { text: plain(lines(output.traceback, "\n")) || String(output.evalue), isError };
  if (output.output_type === "stream") {
    const isStderr = (output.name ?? output.stream) === "stderr";
    return { text: plain(lines(output.text)), isError: isStderr };
  }
  return { ...readData(output.data ? fieldsOf(output.data) : oldData(output)), isError };
}

/** What nbformat 3 called its kinds of content. */
function oldData({ png, jpeg, svg, text, html }: NotebookFields): NotebookFields {
  const named = { "image/png": png, "image/jpeg": jpeg, [SVG]: svg };
  const all = { ...named, "text/plain": text, "text/html": html };
  return Object.fromEntries(Object.entries(all).filter(([, content]) => content !== undefined));
}

function readData(data: NotebookFields): Omit<CellOutput, "isError"> {
  const image = imageIn(data);
  if (image) return { image };
  const markdown = lines(data["text/markdown"]);
  if (markdown) return { markdown };
  const text = plain(lines(data["text/plain"]));
  const kinds = Object.keys(data).filter((kind) => kind !== "text/plain");
  return text || kinds.length === 0 ? { text } : { hidden: kinds.join(", ") };
}

function imageIn(data: NotebookFields): string | null {
  const drawn = DRAWN.find((kind) => lines(data[kind]));
  if (drawn) return `data:${drawn};base64,${lines(data[drawn]).replaceAll(/\s/g, "")}`;
  // Halves of characters cannot be encoded.
  const svg = lines(data[SVG]).replaceAll(/\p{Surrogate}/gu, "");
  return svg ? `data:${SVG},${encodeURIComponent(svg)}` : null;
}

function lines(value: unknown, between = ""): string {
  if (Array.isArray(value)) return value.map(String).join(between);
  return typeof value === "string" ? value : "";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const SEQUENCE = /\u001b(?:\[[0-9;?]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** Without the colours of a terminal, and without what bars of progress have written over. */
function plain(text: string): string {
  return text.replaceAll(SEQUENCE, "").replaceAll("\r\n", "\n").split("\n").map(lastOf).join("\n");
}

function lastOf(line: string): string {
  const written = line.endsWith("\r") ? line.slice(0, -1) : line;
  return written.slice(written.lastIndexOf("\r") + 1);
}
