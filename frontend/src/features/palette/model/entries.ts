/** What the palette leads to, and which of it is meant by what is typed. Pure. */
import type { Workload } from "@/shared/api/types";

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

const FOLDERS: Record<Workload["kind"], string> = {
  environment: "notebooks",
  training: "jobs",
  app: "apps",
};

/** The page of a piece of work; a job array has one of its own. */
export function pageOf({ id, kind, array }: Pick<Workload, "id" | "kind" | "array">): string {
  return array ? `/jobs/arrays/${array.id}` : `/${FOLDERS[kind]}/${id}`;
}
