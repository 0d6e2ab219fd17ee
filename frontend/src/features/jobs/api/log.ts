/** The logs of ranks over HTTP, resuming where the connection broke. */
import { useEffect, useRef, useState } from "react";
import { KINDS, type WorkKind } from "@/shared/api/kinds.gen";
import type { LogRecord } from "@/shared/api/types";
import { appendRecords, EMPTY_LOG, type LogLines } from "../model/log";

const FLUSH_MS = 100;
/** Of several ranks only their ends are read: what the page would drop again is not sent. */
const MERGED_BYTES = 16 * 1024 * 1024;

interface LogOf {
  jobId: string;
  /** Sessions of apps have logs as jobs do. */
  kind: WorkKind;
  ranks: readonly number[];
  /** A new attempt has a new log; 0 is before the first. */
  epoch: number;
  isOver: boolean;
}

/** The growing log of some ranks' present attempt. */
export function useLog({ jobId, kind, ranks, epoch, isOver }: LogOf): LogLines {
  const [log, setLog] = useState(EMPTY_LOG);
  const over = useRef(isOver);
  useEffect(() => {
    over.current = isOver;
  });
  const named = ranks.join(",");
  useEffect(() => {
    setLog(EMPTY_LOG);
    if (epoch === 0) return undefined;
    const abort = new AbortController();
    let waiting: LogRecord[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      const records = waiting;
      waiting = [];
      timer = undefined;
      setLog((lines) => appendRecords(lines, records));
    };
    const onRecord = (record: LogRecord) => {
      if (record.epoch !== epoch) return; // of the next attempt, before the page knows of it
      waiting.push(record);
      timer ??= setTimeout(flush, FLUSH_MS);
    };
    void followLog(
      { jobId, kind, ranks: named.split(",").map(Number) },
      { onRecord, isOver: () => over.current, signal: abort.signal },
    );
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [jobId, kind, named, epoch]);
  return log;
}

interface LogSource {
  jobId: string;
  kind: WorkKind;
  ranks: readonly number[];
}

/** Where the whole log of some ranks is as text, on request with the time of each line. */
export function logAddress({ jobId, kind, ranks }: LogSource, hasTimes = false): string {
  const times = hasTimes ? "&times=1" : "";
  return `/api/v1/${KINDS[kind].plural}/${jobId}/logs?rank=${ranks.join(",")}${times}`;
}

/** Of a log whose end is shown by itself, so many bytes are read. */
const END_BYTES = 64 * 1024;

/** The end of the log of some ranks, as text. */
export async function readLogEnd(source: LogSource, signal: AbortSignal): Promise<string> {
  const response = await fetch(`${logAddress(source)}&offset=-${END_BYTES}`, { signal });
  return response.ok ? response.text() : "";
}

interface LogListener {
  onRecord: (record: LogRecord) => void;
  /** Whether the job has ended, so that its log no longer grows. */
  isOver: () => boolean;
  signal: AbortSignal;
}

const PAUSE_MS = 2_000;

/** Pass every record to the listener until the whole log of an ended job was read. */
export async function followLog(source: LogSource, listener: LogListener): Promise<void> {
  const { onRecord, isOver, signal } = listener;
  const { ranks } = source;
  const from = ranks.length > 1 ? -Math.floor(MERGED_BYTES / ranks.length) : 0;
  const ends = new Map(ranks.map((rank) => [rank, from]));
  const onLine = (line: string) => {
    const record = JSON.parse(line) as LogRecord;
    ends.set(record.rank, record.end);
    onRecord(record);
  };
  while (!signal.aborted) {
    // Only a stream that began after the end has surely carried everything.
    const wasOver = isOver();
    const offsets = ranks.map((rank) => ends.get(rank)).join(",");
    const address = `${logAddress(source)}&format=records&offset=${offsets}&follow=1`;
    const isWhole = await readFrom(address, onLine, signal);
    if (isWhole && wasOver) return;
    await pause(PAUSE_MS, signal);
  }
}

/** Read what the server has; false when the connection broke on the way. */
async function readFrom(
  address: string,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const response = await fetch(address, { signal });
    if (response.ok && response.body) await drain(response.body.getReader(), onLine);
    return true;
  } catch (error) {
    if (signal.aborted || error instanceof TypeError) return false;
    throw error;
  }
}

/** Pass on whole lines; what a broken connection left of one is read again. */
async function drain(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onLine: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
