/** A log as lines, grown piece by piece and never beyond a bound, and the colours of a line. Pure. */

interface LogText {
  /** 1 is the first line of the log. */
  number: number;
  text: string;
}

export interface LogLines {
  /** Complete lines, oldest first; the earliest may have been left out. */
  lines: readonly LogText[];
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

/** The lines that hold a text, whatever their letters' case and colours; all without one. */
export function linesWith(log: LogLines, wanted: string): readonly LogText[] {
  const needle = wanted.trim().toLowerCase();
  if (!needle) return log.lines;
  return log.lines.filter(({ text }) => visibleText(text).toLowerCase().includes(needle));
}

/**
 * What programs write when they fail: the names of exceptions as Python writes them, levels of loggers,
 * and what shells and the kernel say. Words such as "error" alone are also names of metrics.
 */
const ERRORS = [
  /^\s*Traceback \(most recent call last\)/,
  /^\s*(?:\w+\.)*\w*(?:Error|Exception)(?::|$)/,
  /\b(?:ERROR|FATAL|CRITICAL)\b/,
  /\b(?:panic|fatal error|[Ee]rror):/,
  /\b(?:Segmentation fault|core dumped|[Oo]ut of memory|command not found|No such file or directory)\b/,
];

const MAY_BE_ERROR =
  /error|exception|traceback|fatal|critical|panic|fault|dumped|memory|not found|no such/i;

/** The number of the first line that reads like an error; null without one. */
export function firstErrorIn({ lines }: LogLines): number | null {
  const found = lines.find(({ text }) => {
    if (!MAY_BE_ERROR.test(text)) return false; // most lines, told without their colours
    const visible = visibleText(text);
    return ERRORS.some((error) => error.test(visible));
  });
  return found?.number ?? null;
}

function visibleText(line: string): string {
  return segmentsOf(line)
    .map(({ text }) => text)
    .join("");
}

// ANSI colours of a log line as segments; every other control sequence is dropped.

interface Segment {
  /** Where it begins among the visible characters. */
  start: number;
  text: string;
  /** 0–7, the basic colours; bright ones are the same and bold. */
  colour: number | null;
  isBold: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const SEQUENCE = /\u001b(?:\[([0-9;?]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

type TextStyle = Omit<Segment, "start" | "text">;
const PLAIN: TextStyle = { colour: null, isBold: false };

export function segmentsOf(line: string): Segment[] {
  const segments: Segment[] = [];
  let look = PLAIN;
  let from = 0;
  let start = 0;
  const add = (text: string) => {
    const visible = text.replace(CONTROL, "");
    if (!visible) return;
    segments.push({ start, text: visible, ...look });
    start += visible.length;
  };
  for (const match of line.matchAll(SEQUENCE)) {
    add(line.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === "m") look = applyCodes(look, match[1] ?? "");
  }
  add(line.slice(from));
  return segments;
}

function applyCodes(look: TextStyle, codes: string): TextStyle {
  // 38 and 48 begin 256-colour and RGB forms: their numbers are no codes of their own.
  if (/(^|;)[34]8;/.test(codes)) return look;
  return codes.split(";").reduce((now, code) => applyCode(now, Number(code)), look);
}

function applyCode(look: TextStyle, code: number): TextStyle {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, isBold: true };
  if (code === 22) return { ...look, isBold: false };
  if (code === 39) return { ...look, colour: null };
  if (code >= 30 && code <= 37) return { ...look, colour: code - 30 };
  if (code >= 90 && code <= 97) return { colour: code - 90, isBold: true };
  return look;
}
