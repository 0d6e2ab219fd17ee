/** A log as lines, grown piece by piece and never beyond a bound. Pure. */

interface Line {
  /** 1 is the first line of the log. */
  number: number;
  text: string;
}

export interface LogLines {
  /** Complete lines, oldest first; the earliest may have been left out. */
  lines: readonly Line[];
  /** The line still being written. */
  open: string;
  /** How many lines were completed so far. */
  count: number;
}

export const EMPTY_LOG: LogLines = { lines: [], open: "", count: 0 };
export const LINES_MAX = 10_000;

export function appendText(log: LogLines, text: string): LogLines {
  const parts = (log.open + text).replaceAll("\r\n", "\n").split("\n");
  const open = parts.pop() ?? "";
  const added = parts.map((part, index) => ({
    number: log.count + index + 1,
    text: finalText(part),
  }));
  const lines = [...log.lines, ...added].slice(-LINES_MAX);
  return { lines, open, count: log.count + added.length };
}

/** What a terminal would show of a line that was overwritten by carriage returns. */
export function finalText(line: string): string {
  const written = line.endsWith("\r") ? line.slice(0, -1) : line;
  return written.slice(written.lastIndexOf("\r") + 1);
}
