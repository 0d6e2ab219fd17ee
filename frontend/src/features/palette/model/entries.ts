/** What the palette leads to, and which of it is meant by what is typed. Pure. */
import { KINDS } from "@/shared/api/kinds.gen";
import type { Hit } from "@/shared/api/types";

export interface QuickEntry {
  to: string;
  label: string;
  group: "acts" | "pages";
}

/** Every word must be in the label or in the address, which is English for all. */
export function entriesFor(entries: readonly QuickEntry[], text: string): QuickEntry[] {
  const words = text.toLowerCase().split(/\s+/);
  return entries.filter(({ label, to }) => {
    const said = `${label} ${to}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
}

/** Where a reader is led who may manage people: others see what a person runs. */
const pageOfPerson = (name: string, mayManage: boolean) =>
  mayManage
    ? `/people?person=${encodeURIComponent(name)}`
    : `/jobs?show=all&owner=${encodeURIComponent(name)}`;

/** The page of what was found; a job array has one of its own. */
export function pageOf({ kind, id, name, array }: Hit, mayManagePeople: boolean): string {
  switch (kind) {
    case "person":
      return pageOfPerson(name, mayManagePeople);
    case "node":
      return `/nodes/${id}`;
    case "dataset":
      return `/datasets?dataset=${id}`;
    case "image":
      return `/images?image=${id}`;
    default:
      return array ? `/jobs/arrays/${array}` : `/${KINDS[kind].page}/${id}`;
  }
}

export const HIT_GROUPS = {
  person: "people",
  node: "nodes",
  dataset: "datasets",
  image: "images",
  environment: "work",
  app: "work",
  training: "work",
} as const satisfies Record<Hit["kind"], string>;
