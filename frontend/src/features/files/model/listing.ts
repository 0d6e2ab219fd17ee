/** What of a folder is listed, and in which order. Pure. */
import type { FileEntry, FolderPage } from "@/shared/api/types";
import type { Sort } from "@/shared/lists/model/table";
import type { FileSearch, FileSort } from "./paths";

/** The names of the folders of a folder that one page lists as a whole. */
export function foldersOf(
  page: FolderPage | undefined,
  showsDotted: boolean,
): string[] | undefined {
  if (!page || page.total > page.entries.length) return undefined;
  return page.entries
    .filter((entry) => entry.kind === "folder" && (showsDotted || !isDotted(entry)))
    .map(({ name }) => name);
}

/** The entries that are listed, and how many others are there. */
export function listedOf(page: FolderPage | undefined, showsDotted: boolean) {
  if (!page) return { entries: undefined, hidden: 0 };
  const entries = page.entries.filter((entry) => showsDotted || !isDotted(entry));
  return { entries, hidden: page.entries.length - entries.length };
}

function isDotted({ name }: FileEntry): boolean {
  return name.startsWith(".");
}

/** The order of a table as the address has it. */
export function orderOf(sort: Sort | null): Pick<FileSearch, "sort" | "descending"> {
  if (!sort) return {};
  return { sort: sort.key as FileSort, ...(sort.isDescending && { descending: true }) };
}
