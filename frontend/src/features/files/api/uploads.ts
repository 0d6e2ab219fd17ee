/**
 * Uploads go on while their reader is elsewhere on the pages: they are kept here and not in a
 * component. A large file is a resumable upload by the tus protocol; after a break, and also after the
 * page was closed, it continues where it broke. Many small ones go together (`sendBatch`).
 */
import type { DetailedError, Upload } from "tus-js-client";
import { type Problem, problemOf, readProblem } from "@/shared/api/problem";
import { BATCH_BYTES, BATCH_FILES, SMALL_FILE, sendBatch } from "./batches";

export interface FileUpload {
  id: number;
  volume: string;
  path: string;
  size: number;
  sent: number;
  state: "waiting" | "running" | "retrying" | "done" | "taken" | "failed";
  problem: Problem | null;
}

/** One file and where it goes. */
export interface ChosenFile {
  file: File;
  path: string;
}

const AT_ONCE = 3;
/** Smaller files are sent with the request that announces them. */
const SMALL = 4 * 1024 * 1024;
const SHOWN_EVERY_MS = 100;
const PAUSES_MS = [500, 1000, 3000, 5000, 10_000, 20_000, 30_000, 60_000];
/** Refusals that asking again does not change. */
const FULL = 507;
const REPEATED = new Set([0, 408, 409, 423, 429, 460]);

interface Entry extends FileUpload {
  file: File;
  upload: Upload | null;
  /** Ends the request that it shares with others. */
  batch: AbortController | null;
}

let entries: Entry[] = [];
let shown: FileUpload[] = [];
let next = 1;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
const finished = new Set<(volume: string) => void>();

export function subscribeUploads(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls `listener` with the volume whenever a file has arrived. */
export function onUploaded(listener: (volume: string) => void): () => void {
  finished.add(listener);
  return () => finished.delete(listener);
}

export function currentUploads(): FileUpload[] {
  return shown;
}

export function addUploads(volume: string, files: readonly ChosenFile[]): void {
  const added = files.map(({ file, path }) => {
    const id = next;
    next += 1;
    return {
      ...{ id, volume, path, file, size: file.size, sent: 0 },
      ...{ state: "waiting" as const, problem: null, upload: null, batch: null },
    };
  });
  entries = [...entries, ...added];
  startNext();
}

/** Ends an upload and removes what has arrived of it. */
export function cancelUpload(id: number): void {
  const entry = entries.find((each) => each.id === id);
  void entry?.upload?.abort(entry.state !== "done");
  entries = entries.filter((each) => each.id !== id);
  entry?.batch?.abort();
  startNext();
}

/** Starts an upload again; one whose name was taken then replaces that file. */
export function repeatUpload(id: number): void {
  const entry = entries.find((each) => each.id === id);
  if (entry) void begin(entry, entry.state === "taken");
  changed();
}

export function clearUploads(): void {
  entries = entries.filter(({ state }) => state !== "done" && state !== "taken");
  changed();
}

/** Fills the places of what has ended; a batch takes one, however many files it has. */
function startNext(): void {
  const running = entries.filter(({ state }) => state === "running" || state === "retrying");
  const batches = new Set(running.map(({ batch }) => batch));
  const single = running.filter(({ batch }) => batch === null).length;
  let free = AT_ONCE - single - [...batches].filter(Boolean).length;
  let waiting = entries.filter(({ state }) => state === "waiting");
  while (free > 0 && waiting.length > 0) {
    const chosen = nextBatch(waiting);
    if (chosen.length > 1) void beginBatch(chosen);
    else if (waiting[0]) void begin(waiting[0], false);
    waiting = waiting.filter(({ state }) => state === "waiting");
    free -= 1;
  }
  changed();
}

/** The small files that wait for the volume of the first that does. */
function nextBatch(waiting: readonly Entry[]): Entry[] {
  const [first] = waiting;
  const chosen: Entry[] = [];
  let bytes = 0;
  for (const entry of waiting) {
    if (entry.volume !== first?.volume || entry.size > SMALL_FILE) continue;
    bytes += entry.size;
    if (chosen.length === BATCH_FILES || bytes > BATCH_BYTES) break;
    chosen.push(entry);
  }
  return chosen;
}

async function beginBatch(chosen: readonly Entry[]): Promise<void> {
  const batch = new AbortController();
  const volume = chosen[0]?.volume ?? "";
  for (const entry of chosen) update(entry, { state: "running", problem: null }, batch);
  const events = {
    onProgress: (sent: readonly number[]) =>
      chosen.forEach((entry, at) => {
        update(entry, { sent: sent[at] ?? 0, state: "running" }, batch);
      }),
    onRetry: () => {
      for (const entry of chosen) update(entry, { state: "retrying" }, batch);
    },
  };
  const target = { volume, language: document.documentElement.lang };
  const fates = await sendBatch(target, chosen, PAUSES_MS, events, batch.signal).catch((error) =>
    chosen.map(() => problemOf(error)),
  );
  chosen.forEach((entry, at) => {
    const problem = fates?.[at] ?? null;
    const refused = problem?.code === "file_exists" ? "taken" : "failed";
    const done = { state: "done" as const, sent: entry.size };
    if (fates === null) update(entry, { state: "waiting", sent: 0 });
    else update(entry, problem ? { state: refused, problem } : done);
  });
  if (fates?.some((problem) => problem === null)) for (const listener of finished) listener(volume);
  startNext();
}

/** What speaks the protocol is loaded with the first large file. */
async function begin(entry: Entry, replaces: boolean): Promise<void> {
  update(entry, { state: "running", problem: null });
  try {
    const tus = await import("tus-js-client");
    if (entries.includes(entry)) await resume(uploadOf(entry, replaces, tus.Upload));
  } catch (error) {
    update(entry, { state: "failed", problem: problemOf(error) });
    startNext();
  }
}

function uploadOf(entry: Entry, replaces: boolean, Sender: typeof Upload): Upload {
  const { file, volume, path } = entry;
  const endpoint = `/api/v1/volumes/${volume}/uploads`;
  entry.upload = new Sender(file, {
    endpoint,
    metadata: { path, ...(replaces && { replace: "true" }) },
    headers: { "Accept-Language": document.documentElement.lang },
    retryDelays: PAUSES_MS,
    uploadDataDuringCreation: file.size <= SMALL,
    fingerprint: async () => `berth:${endpoint}:${path}:${file.size}:${file.lastModified}`,
    removeFingerprintOnSuccess: true,
    onProgress: (sent) => update(entry, { sent, state: "running" }),
    onSuccess: () => {
      update(entry, { sent: file.size, state: "done" });
      for (const listener of finished) listener(volume);
      startNext();
    },
    onShouldRetry: (error) => {
      const again = isWorthRepeating(error);
      if (again) update(entry, { state: "retrying" });
      return again;
    },
    onError: (error) => {
      const problem = problemIn(error as DetailedError);
      const isTaken = problem.code === "file_exists";
      update(entry, { state: isTaken ? "taken" : "failed", problem });
      startNext();
    },
  });
  return entry.upload;
}

/** Continues an earlier upload of the same file to the same place, if there is one. */
async function resume(upload: Upload): Promise<void> {
  const [earlier] = await upload.findPreviousUploads();
  if (earlier) upload.resumeFromPreviousUpload(earlier);
  upload.start();
}

function isWorthRepeating(error: DetailedError): boolean {
  const status = error.originalResponse?.getStatus() ?? 0;
  if (problemIn(error).code === "file_exists" || status === FULL) return false;
  return status >= 500 || REPEATED.has(status);
}

function problemIn(error: DetailedError): Problem {
  const response = error.originalResponse ?? null;
  let body: unknown = null;
  try {
    body = JSON.parse(response?.getBody() ?? "");
  } catch {}
  const status = response?.getStatus() ?? 0;
  const problem = readProblem(status, body, response?.getHeader("X-Request-Id") ?? "");
  return status === 0 ? { ...problem, code: "unreachable" } : problem;
}

function update(
  entry: Entry,
  fields: Partial<FileUpload>,
  batch: AbortController | null = null,
): void {
  Object.assign(entry, fields, { batch });
  changed();
}

/** Shows changes at most ten times a second: thousands of files may be under way. */
function changed(): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    shown = entries.map(({ file: _file, upload: _upload, batch: _batch, ...rest }) => rest);
    for (const listener of listeners) listener();
  }, SHOWN_EVERY_MS);
}

// Files that were chosen or dropped, each with its path below the folder that they go to.

/** More would hold the page up. */
const CHOSEN_MAX = 20_000;

export function chosenFiles(list: FileList | null): ChosenFile[] {
  return Array.from(list ?? [])
    .slice(0, CHOSEN_MAX)
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

/** What was dropped: files, and folders with all below them. */
export async function droppedFiles(transfer: DataTransfer): Promise<ChosenFile[]> {
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry?.() ?? null);
  if (entries.every((entry) => entry === null)) return chosenFiles(transfer.files);
  const found: ChosenFile[] = [];
  for (const entry of entries) if (entry) await collect(entry, found);
  return found;
}

async function collect(entry: FileSystemEntry, found: ChosenFile[]): Promise<void> {
  if (found.length >= CHOSEN_MAX) return;
  if (isFolder(entry)) {
    for (const below of await entriesOf(entry)) await collect(below, found);
    return;
  }
  const file = await new Promise<File>((resolve, reject) =>
    (entry as FileSystemFileEntry).file(resolve, reject),
  );
  found.push({ file, path: entry.fullPath.replace(/^\/+/, "") });
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** A reader gives a hundred entries at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  while (true) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return found;
    found.push(...part);
  }
}
