/**
 * Many small files in one request, as an archive that the server unpacks. It may be sent again whenever
 * its answer was missed: a file that is there with the same content counts as written.
 */
import { type Problem, problemOf, readProblem } from "@/shared/api/problem";
import type { ChosenFile } from "./uploads";

/** Larger files are worth a request of their own, which can be continued. */
export const SMALL_FILE = 256 * 1024;
export const BATCH_FILES = 1000;
export const BATCH_BYTES = 16 * 1024 * 1024;
const FULL = 507;
const REPEATED = new Set([0, 408, 423, 429]);

export interface BatchTarget {
  volume: string;
  /** In which refusals are worded. */
  language: string;
}

export interface BatchEvents {
  /** How many bytes of each file have been sent. */
  onProgress: (sent: readonly number[]) => void;
  onRetry: () => void;
}

/** What has become of the files, in their order: null where one was written. */
export type BatchResult = readonly (Problem | null)[];

/** Sends files until they are answered for; null when that was stopped. */
export async function sendBatch(
  target: BatchTarget,
  files: readonly ChosenFile[],
  pauses: readonly number[],
  events: BatchEvents,
  signal: AbortSignal,
): Promise<BatchResult | null> {
  const read = await Promise.all(files.map(readFile));
  const sent = read.filter((each): each is PackedFile => "data" in each);
  const { body, starts } = packFiles(sent);
  for (let attempt = 0; ; attempt += 1) {
    const problem = await put(target, body, signal, (loaded) =>
      events.onProgress(shares(read, starts, loaded)),
    );
    if (signal.aborted) return null;
    const pause = pauses[attempt];
    if (problem && isWorthRepeating(problem) && pause !== undefined) {
      events.onRetry();
      await paused(pause, signal);
      if (signal.aborted) return null;
      continue;
    }
    return read.map((each) => ("data" in each ? fateOf(each.path, problem) : each.problem));
  }
}

/** The bytes are read first: a file that changes or goes meanwhile must not spoil the others. */
async function readFile({
  file,
  path,
}: ChosenFile): Promise<PackedFile | { problem: Problem; path: string }> {
  try {
    return { path, data: await file.arrayBuffer() };
  } catch (error) {
    return { path, problem: problemOf(error) };
  }
}

function shares(
  read: readonly (PackedFile | { problem: Problem })[],
  starts: readonly number[],
  loaded: number,
): number[] {
  let next = 0;
  return read.map((each) => {
    if (!("data" in each)) return 0;
    const start = starts[next] ?? 0;
    next += 1;
    return Math.min(Math.max(loaded - start, 0), each.data.byteLength);
  });
}

function fateOf(path: string, problem: Problem | null): Problem | null {
  if (problem?.code !== "files_refused") return problem;
  const pointer = `/${path.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const fault = problem.errors.find((each) => each.pointer === pointer);
  return fault ? { ...problem, code: fault.code, detail: fault.detail, errors: [] } : null;
}

function isWorthRepeating({ status }: Problem): boolean {
  return status !== FULL && (status >= 500 || REPEATED.has(status));
}

function put(
  { volume, language }: BatchTarget,
  body: Blob,
  signal: AbortSignal,
  onProgress: (loaded: number) => void,
): Promise<Problem | null> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const ended = () => {
      signal.removeEventListener("abort", stop);
      resolve(problemIn(request));
    };
    const stop = () => request.abort();
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onloadend = ended;
    request.open("PUT", `/api/v1/volumes/${volume}/archive`);
    request.setRequestHeader("Accept-Language", language);
    request.setRequestHeader("Content-Type", "application/x-tar");
    signal.addEventListener("abort", stop);
    request.send(body);
  });
}

function problemIn(request: XMLHttpRequest): Problem | null {
  const { status } = request;
  if (status === 200) return null;
  let body: unknown = null;
  try {
    body = JSON.parse(request.responseText);
  } catch {}
  const problem = readProblem(status, body, request.getResponseHeader("X-Request-Id") ?? "");
  return status === 0 ? { ...problem, code: "unreachable" } : problem;
}

function paused(pause: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pause);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

// The archive: ustar headers, and pax attributes for paths above 100 bytes.

const BLOCK = 512;
const NAME_MAX = 100;

interface PackedFile {
  path: string;
  data: ArrayBuffer;
}

export interface Packed {
  body: Blob;
  /** Where the bytes of each file begin in the body. */
  starts: number[];
}

export function packFiles(files: readonly PackedFile[]): Packed {
  const parts: BlobPart[] = [];
  const starts: number[] = [];
  let at = 0;
  const add = (part: Uint8Array<ArrayBuffer> | ArrayBuffer) => {
    parts.push(part);
    at += part.byteLength;
  };
  const addPadded = (part: Uint8Array<ArrayBuffer> | ArrayBuffer) => {
    add(part);
    add(new Uint8Array((BLOCK - (part.byteLength % BLOCK)) % BLOCK));
  };
  for (const { path, data } of files) {
    const name = encode(path);
    if (name.length > NAME_MAX) {
      const record = pathRecord(path);
      add(header(encode("././@PaxHeader"), record.length, "x"));
      addPadded(record);
    }
    add(header(name.slice(0, NAME_MAX), data.byteLength, "0"));
    starts.push(at);
    addPadded(data);
  }
  add(new Uint8Array(2 * BLOCK));
  return { body: new Blob(parts), starts };
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** `<length> path=<path>\n`, where the length counts its own digits. */
function pathRecord(path: string): Uint8Array<ArrayBuffer> {
  const rest = encode(` path=${path}\n`).length;
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return encode(`${length} path=${path}\n`);
}

function header(
  name: Uint8Array<ArrayBuffer>,
  size: number,
  type: "0" | "x",
): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  block.set(name, 0);
  block.set(encode("0000664\0"), 100);
  block.set(encode("0000000\0"), 108);
  block.set(encode("0000000\0"), 116);
  block.set(encode(`${size.toString(8).padStart(11, "0")}\0`), 124);
  block.set(encode("00000000000\0"), 136);
  block.set(encode("        "), 148);
  block.set(encode(type), 156);
  block.set(encode("ustar\x0000"), 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.set(encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  return block;
}
