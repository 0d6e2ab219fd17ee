/** A data set as its form holds it. Pure. */
import type { Dataset, DatasetInput } from "@/shared/api/types";

/** Names that the server takes: they are folders below `/data`. */
export const DATASET_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

export interface DatasetForm {
  name: string;
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

/** Whether a path stays below the nodes' folder of data sets, as the server demands it. */
export function isBelow(path: string): boolean {
  return !path.includes("\\") && !path.split("/").some((part) => ["", ".", ".."].includes(part));
}
