/** Logs as lines, grown record by record and never beyond a bound; times and colours of a line. Pure. */
import type { LogRecord } from "@/shared/api/types";
import type { Clock } from "@/shared/i18n/clock";

interface OpenLine {
  rank: number;
  at: number | null;
  text: string;
}

export interface LogText extends OpenLine {
  /** 1 is the first line that came. */
  number: number;
  /** For the order among ranks: that of the rank's newest line, if its clock went back or is not known. */
  order: number;
}

export interface LogLines {
  /** Complete lines in the order of their times; the earliest may have been left out. */
  lines: readonly LogText[];
  /** The line still being written of each rank that has one. */
  open: readonly OpenLine[];
  /** How many lines were completed so far. */
  count: number;
  /** Whether what stands before was not asked for. */
  isCut: boolean;
  /** Of the newest line of each rank. */
  newest: Readonly<Record<number, number>>;
  /** Where the newest record of each rank ends, in bytes. */
  ends: Readonly<Record<number, number>>;
}

export const EMPTY_LOG: LogLines = {
  lines: [],
  open: [],
  count: 0,
  isCut: false,
  newest: {},
  ends: {},
};
/** Bytes of the beginning of a log that are kept; its end follows when the work has ended. */
const BEGINNING = 60 * 1024 * 1024;
export const LINES_MAX = 10_000;
/** Letters of a line that are kept: more is no text. */
export const LINE_MAX = 16_384;

export function appendRecords(log: LogLines, records: readonly LogRecord[]): LogLines {
  const open = new Map(log.open.map((line) => [line.rank, line]));
  const newest = { ...log.newest };
  const ends = { ...log.ends };
  const added: LogText[] = [];
  let isCut = log.isCut;
  for (const record of records) {
    const { rank, at, offset } = record;
    isCut ||= !(rank in newest) && offset > 0;
    const order = Math.max(newest[rank] ?? 0, at ?? 0);
    newest[rank] = order;
    ends[rank] = record.end;
    const { whole, rest } = joined(open.get(rank), record);
    if (rest) open.set(rank, rest);
    else open.delete(rank);
    for (const line of whole) added.push({ ...line, order, number: log.count + added.length + 1 });
  }
  const lines = inOrder(log.lines, added).slice(-LINES_MAX);
  const count = log.count + added.length;
  return { lines, open: [...open.values()], count, isCut, newest, ends };
}

/** Whether what some rank writes is not shown before its end. */
export function isLeavingOut({ ends }: LogLines): boolean {
  return Object.values(ends).includes(BEGINNING);
}

/** The lines that a record completes, and the one that it leaves open; each has the time of its beginning. */
function joined(begun: OpenLine | undefined, { rank, at, text }: LogRecord) {
  const parts = ((begun?.text ?? "") + text).replaceAll("\r\n", "\n").split("\n");
  const lines = parts.map((part, index): OpenLine => {
    const began = index === 0 && begun ? begun.at : at;
    return { rank, at: began, text: part };
  });
  const last = lines.pop();
  return {
    whole: lines.map((line) => ({ ...line, text: finalText(line.text).slice(0, LINE_MAX) })),
    rest: last?.text ? { ...last, text: shortened(last.text) } : null,
  };
}

/** Lines of ranks that arrived late go before what was written after them. */
function inOrder(known: readonly LogText[], added: readonly LogText[]): LogText[] {
  const sorted = added.toSorted((one, other) => one.order - other.order);
  const first = sorted[0]?.order ?? 0;
  let from = known.length;
  while (from > 0 && (known[from - 1]?.order ?? 0) > first) from -= 1;
  const tail = [...known.slice(from), ...sorted];
  return [...known.slice(0, from), ...tail.sort((one, other) => one.order - other.order)];
}

/** What is still to be seen of a line that goes on: what was overwritten is not. */
function shortened(line: string): string {
  return line.slice(line.lastIndexOf("\r", line.length - 2) + 1).slice(0, LINE_MAX);
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
const TRACEBACK = /^\s*Traceback \(most recent call last\)/;
const RAISED = /^\s*(?:\w+\.)*\w*(?:Error|Exception)(?::|$)/;
const ERRORS = [
  TRACEBACK,
  RAISED,
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

const LAST_LINES = 8;

/** The last lines of a text without their colours, and the first line of it that reads like an error. */
export function lastLinesOf(text: string): { lines: string[]; error: string | null } {
  const record = { epoch: 1, rank: 0, at: null, offset: 0, end: 0, text: `${text}\n` };
  const log = appendRecords(EMPTY_LOG, [record]);
  const first = firstErrorIn(log);
  const words = log.lines.map((line) => visibleText(line.text));
  const after = words.slice(log.lines.findIndex(({ number }) => number === first));
  // What Python raised stands at the end of its traceback.
  const raised = TRACEBACK.test(after[0] ?? "") ? after.find((line) => RAISED.test(line)) : null;
  return {
    lines: words.filter((line) => line.trim() !== "").slice(-LAST_LINES),
    error: first === null ? null : (raised ?? after[0] ?? null),
  };
}

function visibleText(line: string): string {
  return segmentsOf(line)
    .map(({ text }) => text)
    .join("");
}

/** One format for all lines of a log: `14:20:05.123`, and with the date if they span more than a day. */
export function stampFormat(
  hasDates: boolean,
  language: string,
  clock: Clock,
): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, {
    ...(hasDates && { month: "2-digit", day: "2-digit" }),
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    ...clock,
  });
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
