/** Paths inside a volume, the address of the page, and how a file is previewed. Pure. */
import type { FileEntry } from "@/shared/api/types";
import { decodedLink } from "@/shared/markdown/links";

export const PAGE_SIZE = 200;
const SORTS = ["name", "size", "modified"] as const;
export type FileSort = (typeof SORTS)[number];

/** What the address of the page remembers; everything in it can be sent to a colleague. */
export interface FileSearch {
  /** The id of the volume; my home without one. */
  volume?: string;
  /** The folder; the top without one. */
  path?: string;
  /** The snapshot that is looked at; as it is now without one. */
  snapshot?: string;
  /** The file of this folder that is previewed. */
  file?: string;
  sort?: FileSort;
  descending?: true;
  page?: number;
}

/** The same of the outputs of a job: a folder, the file of it that is previewed, and the page. */
export type OutputSearch = Pick<FileSearch, "path" | "file" | "page">;

export function readOutputSearch(search: Record<string, unknown>): OutputSearch {
  const { path, file, page } = search;
  return readFileSearch({ path, file, page });
}

export function readFileSearch(search: Record<string, unknown>): FileSearch {
  const { volume, path, snapshot, file, sort, descending, page } = search;
  return {
    ...(isText(volume) && { volume }),
    ...(isText(path) && { path }),
    ...(isText(snapshot) && { snapshot }),
    ...(isText(file) && { file }),
    ...(SORTS.includes(sort as FileSort) && sort !== "name" && { sort: sort as FileSort }),
    ...(descending === true && { descending }),
    ...(typeof page === "number" && page > 1 && { page: Math.floor(page) }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function joined(folder: string, name: string): string {
  return folder ? `${folder}/${name}` : name;
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const ELSEWHERE = /^(?:[a-z][\w+.-]*:|\/\/|\\|$)/i;

/** The path to which a relative link in a file of this folder leads; null for what leads elsewhere. */
export function pathFrom(folder: string, link: string): string | null {
  const [written = ""] = link.split(/[?#]/, 1);
  if (ELSEWHERE.test(written)) return null;
  const from = written.startsWith("/") || !folder ? [] : folder.split("/");
  const path = decodedLink(written).split("/").reduce(stepped, from).join("/");
  // A ".." that is left would lead out of the volume, and is no name.
  return path.split("/").every(isFileName) ? path : null;
}

function stepped(place: string[], part: string): string[] {
  const isUp = part === ".." && place.length > 0 && place.at(-1) !== "..";
  if (isUp) place.pop();
  else if (part !== "" && part !== ".") place.push(part);
  return place;
}

/** Each folder from the top to this one, with its name. */
export function crumbsOf(path: string): { name: string; path: string }[] {
  if (!path) return [];
  const parts = path.split("/");
  return parts.map((name, at) => ({ name, path: parts.slice(0, at + 1).join("/") }));
}

/** In names of the server, these stand for the bytes 0x80 to 0xFF of one that is no UTF-8. */
const RAW = /[\uf780-\uf7ff]/;
const RAW_BYTE = 0xf700;

/** Whether a name is no UTF-8. */
export function isRaw(name: string): boolean {
  return RAW.test(name);
}

/** A name or path as people read it: one that is no UTF-8 is mostly GB 18030, of an old Windows. */
export function shownPath(path: string): string {
  return isRaw(path) ? path.split("/").map(shownName).join("/") : path;
}

function shownName(name: string): string {
  if (!isRaw(name)) return name;
  const encoder = new TextEncoder();
  const bytes = [...name].flatMap((char) =>
    RAW.test(char) ? [char.charCodeAt(0) - RAW_BYTE] : [...encoder.encode(char)],
  );
  try {
    return new TextDecoder("gb18030", { fatal: true }).decode(new Uint8Array(bytes));
  } catch {
    return [...name].map((char) => (RAW.test(char) ? "\ufffd" : char)).join("");
  }
}

/** The folders in one folder, by name. */
export interface FolderLevel {
  path: string;
  names: string[];
  is_cut: boolean;
}

/** The paths of all folders from the top to this one, both of them too. */
export function foldersAlong(path: string): string[] {
  return ["", ...crumbsOf(path).map((crumb) => crumb.path)];
}

/** A level as a whole list of its folder knows it; null where that is no news. */
export function withListed(level: FolderLevel, listed: readonly string[]): FolderLevel | null {
  const known = new Set(level.names);
  if (known.size === listed.length && listed.every((name) => known.has(name))) return null;
  const folded = (name: string) => name.toLowerCase();
  const names = listed.toSorted((one, other) => (folded(one) < folded(other) ? -1 : 1));
  return { ...level, names, is_cut: false };
}

/** A folder as a tree shows it. */
export interface FolderNode {
  /** Its path after a slash: no key is empty. */
  key: string;
  name: string;
  path: string;
  isLeaf: boolean;
  /** Stands for the folders that are not named. */
  isMore?: true;
  children?: FolderNode[];
}

/** A folder with those below it, as far as they have been read. */
export function folderNode(
  name: string,
  path: string,
  levels: ReadonlyMap<string, FolderLevel>,
): FolderNode {
  const level = levels.get(path);
  const node = { key: `/${path}`, name, path };
  if (!level) return { ...node, isLeaf: false };
  const children = level.names.map((below) => folderNode(below, joined(path, below), levels));
  // No folder has an empty name.
  const more: FolderNode = { key: `/${path}//`, name: "", path, isLeaf: true, isMore: true };
  return {
    ...node,
    isLeaf: children.length === 0,
    children: level.is_cut ? [...children, more] : children,
  };
}

/** Whether the server would take a name: no slash, no control character, at most 255 bytes. */
export function isFileName(name: string): boolean {
  const bytes = new TextEncoder().encode(name).length;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  return bytes > 0 && bytes <= 255 && !/[/\u0000-\u001f\u007f]/.test(name) && !/^\.\.?$/.test(name);
}

/** Whether an entry leads somewhere: a folder, a file, or a link to a file. */
export function isOpened({ kind, has_content }: FileEntry): boolean {
  return kind === "folder" || has_content;
}

export type PreviewKind = "text" | "markdown" | "table" | "notebook" | "image" | "none";

const IMAGES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  svg: "image/svg+xml",
};
const TEXTS: Record<string, PreviewKind> = {
  md: "markdown",
  markdown: "markdown",
  csv: "table",
  tsv: "table",
};
/** More than any browser should show at once. */
const IMAGE_MAX = 32 * 1024 * 1024;
const NOTEBOOK_MAX = 16 * 1024 * 1024;

export function suffixOf(name: string): string {
  const at = name.lastIndexOf(".");
  return at > 0 ? name.slice(at + 1).toLowerCase() : "";
}

export function imageType(name: string): string | undefined {
  return IMAGES[suffixOf(name)];
}

/** How a file is shown; text until its bytes say otherwise. */
export function previewKind({ name, size, has_content }: FileEntry): PreviewKind {
  if (!has_content) return "none";
  if (imageType(name)) return size <= IMAGE_MAX ? "image" : "none";
  const suffix = suffixOf(name);
  if (suffix === "ipynb") return size <= NOTEBOOK_MAX ? "notebook" : "text";
  return TEXTS[suffix] ?? "text";
}

/** What to type for `sftp` and `scp` to come to a folder of a volume. */
export function sftpLines(host: string, port: number, volume: string, path: string) {
  const place = quoted(`files@${host}:/${joined(volume, path)}`);
  return [
    { key: "shell", text: `sftp -P ${port} ${place}` },
    { key: "upload", text: `scp -P ${port} -r FOLDER ${place}` },
    { key: "download", text: `scp -P ${port} -r ${place} .` },
  ] as const;
}

/** Quoted for a shell, where that is needed. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const TOPIC_MAX = 4_200;

/** The topic of what somebody changes in a folder; null for a path that is too long for one. */
export function folderTopic(volume: string, path: string): string | null {
  const written = path.replaceAll("%", "%25").replaceAll(/\s/g, encodeURIComponent);
  const topic = `files:${volume}:${written}`;
  return topic.length > TOPIC_MAX ? null : topic;
}
