/** A data set and a version of it as their forms hold them. Pure. */
import type {
  Dataset,
  DatasetInput,
  DatasetVersion,
  DatasetVersionInput,
} from "@/shared/api/types";

/** Names that the server takes: they are folders below `/data`. */
export const DATASET_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** What the server takes as another name of a version. */
export const VERSION_ALIAS = /^(?!latest$)[a-z][a-z0-9._-]{0,31}$/;

export interface DatasetForm {
  name: string;
  /** Of the first version; only of a new data set. */
  path: string;
  description?: string;
  readers: "everybody" | "groups";
  groups?: string[];
}

export function datasetForm(dataset: Dataset): DatasetForm {
  return {
    name: dataset.name,
    path: dataset.path ?? "",
    description: dataset.description,
    readers: dataset.is_for_everybody ? "everybody" : "groups",
    groups: dataset.groups?.map(({ id }) => id) ?? [],
  };
}

/** Groups are kept while all may read it: they count again when that ends. */
export function datasetInput({ readers, groups, description, ...rest }: DatasetForm): DatasetInput {
  return {
    ...rest,
    description: description ?? "",
    is_for_everybody: readers === "everybody",
    groups: groups ?? [],
  };
}

export interface VersionForm {
  path: string;
  alias?: string;
  note?: string;
}

export function versionForm({ path, alias, note }: DatasetVersion): VersionForm {
  return { path: path ?? "", alias, note };
}

export function versionInput({ path, alias, note }: VersionForm): DatasetVersionInput {
  return { path, alias: alias ?? "", note: note ?? "" };
}

/** Whether a path stays below the nodes' folder of data sets, as the server demands it. */
export function isBelow(path: string): boolean {
  return !path.includes("\\") && !path.split("/").some((part) => ["", ".", ".."].includes(part));
}
