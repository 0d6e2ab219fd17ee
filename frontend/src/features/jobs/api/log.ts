/** The log of one rank over HTTP, resuming at the byte where the connection broke. */
import { useEffect, useRef, useState } from "react";
import { appendText, EMPTY_LOG, type LogLines } from "../model/log";

const FLUSH_MS = 100;

interface LogOf {
  jobId: string;
  /** Sessions of apps have logs as jobs do. */
  kind?: string;
  rank: number;
  /** A new attempt has a new log; 0 is before the first. */
  epoch: number;
  isOver: boolean;
}

/** The growing log of one rank's present attempt. */
export function useLog({ jobId, kind = "training", rank, epoch, isOver }: LogOf): LogLines {
  const [log, setLog] = useState(EMPTY_LOG);
  const over = useRef(isOver);
  useEffect(() => {
    over.current = isOver;
  });
  useEffect(() => {
    setLog(EMPTY_LOG);
    if (epoch === 0) return undefined;
    const abort = new AbortController();
    let waiting = "";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      const text = waiting;
      waiting = "";
      timer = undefined;
      setLog((lines) => appendText(lines, text));
    };
    const onText = (text: string) => {
      waiting += text;
      timer ??= setTimeout(flush, FLUSH_MS);
    };
    void followLog(
      { jobId, kind, rank },
      { onText, isOver: () => over.current, signal: abort.signal },
    );
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [jobId, kind, rank, epoch]);
  return log;
}

interface LogSource {
  jobId: string;
  kind?: string | undefined;
  rank: number;
}

/** Where the whole log of a rank is, as text. */
export function logAddress({ jobId, kind, rank }: LogSource): string {
  return `/api/v1/${kind === "app" ? "app-sessions" : "jobs"}/${jobId}/logs?rank=${rank}`;
}

interface LogListener {
  onText: (text: string) => void;
  /** Whether the job has ended, so that its log no longer grows. */
  isOver: () => boolean;
  signal: AbortSignal;
}

const PAUSE_MS = 2_000;

/** Pass every piece of text to the listener until the whole log of an ended job was read. */
export async function followLog(source: LogSource, listener: LogListener): Promise<void> {
  const { onText, isOver, signal } = listener;
  // One decoder for all: a character cut in two by a broken connection stays whole.
  const decoder = new TextDecoder();
  let offset = 0;
  const onBytes = (bytes: Uint8Array) => {
    offset += bytes.byteLength;
    onText(decoder.decode(bytes, { stream: true }));
  };
  while (!signal.aborted) {
    // Only a stream that began after the end has surely carried everything.
    const wasOver = isOver();
    const isWhole = await readFrom(offset, source, onBytes, signal);
    if (isWhole && wasOver) return;
    await pause(PAUSE_MS, signal);
  }
}

/** Read what the server has beyond `offset`; false when the connection broke on the way. */
async function readFrom(
  offset: number,
  { jobId, kind, rank }: LogSource,
  onBytes: (bytes: Uint8Array) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const address = `${logAddress({ jobId, kind, rank })}&offset=${offset}&follow=1`;
  try {
    const response = await fetch(address, { signal });
    if (response.ok && response.body) await drain(response.body.getReader(), onBytes);
    return true;
  } catch (error) {
    if (signal.aborted || error instanceof TypeError) return false;
    throw error;
  }
}

async function drain(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onBytes: (bytes: Uint8Array) => void,
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes(value);
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
