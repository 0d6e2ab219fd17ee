/** A data set and a version of it as their forms hold them. Pure. */
import type {
  Dataset,
  DatasetInput,
  DatasetVersion,
  DatasetVersionInput,
  Publication,
  PublicationInput,
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

/**
 * Groups are kept while all may read it: they count again when that ends. Who reads the data set of a
 * group besides it, only the platform's admins decide.
 */
export function datasetInput(
  { readers, groups, description, ...rest }: DatasetForm,
  decidesReaders = true,
): DatasetInput {
  if (!decidesReaders) return { ...rest, description: description ?? "" };
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

/** The choice of a data set that is not there yet; no name that the server takes. */
export const NEW_DATASET = "+";

/** What becomes a version. */
export type PublishedSource =
  | { volume: string; path: string }
  | { job: string }
  | { store: string; path: string };

/** What becomes a version where the form asks for it. */
export interface SourceForm {
  source?: "volume" | "store";
  volume?: string;
  store?: string;
  /** The folder of the volume, or the part of the keys before a slash. */
  path?: string;
}

/** The source that the form names; slashes around its path, as buckets are often written, are left out. */
export function sourceOf({ source, volume, store, path }: SourceForm): PublishedSource {
  const below = (path ?? "").trim().replace(/^\/+|\/+$/g, "");
  return source === "store"
    ? { store: store ?? "", path: below }
    : { volume: volume ?? "", path: below };
}

export interface PublicationForm extends SourceForm {
  dataset: string;
  /** This and the next two of a new data set. */
  name?: string;
  group?: string;
  description?: string;
  alias?: string;
  note?: string;
}

export function publicationInput(
  source: PublishedSource,
  { dataset, name, group, description, alias, note }: PublicationForm,
): PublicationInput {
  const words = { alias: alias ?? "", note: note ?? "" };
  if (dataset !== NEW_DATASET) return { ...source, dataset, ...words };
  return {
    ...source,
    dataset: name ?? "",
    ...(group && { group }),
    description: description ?? "",
    ...words,
  };
}

export function isUnfinished({ state }: Publication): boolean {
  return state === "waiting" || state === "copying";
}

/** Those that are not finished, and the newest one if it failed; they come newest first. */
export function toldPublications(all: readonly Publication[]): Publication[] {
  return all.filter((each, at) => isUnfinished(each) || (at === 0 && each.state === "failed"));
}

/** How much is there, as whole percent; what is not counted yet is nothing. */
export function publishedPercent({ bytes_total, bytes_done }: Publication): number {
  if (bytes_total === null) return 0;
  return bytes_total === 0
    ? 100
    : Math.floor((100 * Math.min(bytes_done, bytes_total)) / bytes_total);
}
