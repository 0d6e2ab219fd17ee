/** What the palette leads to, and which of it is meant by what is typed. Pure. */
import { KINDS } from "@/shared/api/kinds.gen";
import type { Hit } from "@/shared/api/types";
import type { QuickAct, QuickVerb } from "./commands";

export interface QuickEntry {
  to: string;
  label: string;
  group: "acts" | "pages" | "guides";
}

/** One line of the palette: a way to somewhere, the begin of a command, or something that is done. */
export interface Found {
  key: string;
  label: string;
  group: QuickEntry["group"] | (typeof HIT_GROUPS)[Hit["kind"]];
  detail?: string;
  /** Of work. */
  state?: string;
  leads: { to: string } | { verb: QuickVerb } | { act: QuickAct };
}

/** Every word must be in the label or in the address, which is English for all; guides have to be asked for. */
export function entriesFor(entries: readonly QuickEntry[], text: string): QuickEntry[] {
  const words = text.toLowerCase().split(/\s+/);
  return entries.filter(({ label, to, group }) => {
    const said = `${label} ${to}`.toLowerCase();
    const isBrowsed = text.trim() === "" && group === "guides";
    return !isBrowsed && words.every((word) => said.includes(word));
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

const HIT_GROUPS = {
  person: "people",
  node: "nodes",
  dataset: "datasets",
  image: "images",
  environment: "work",
  app: "work",
  training: "work",
  replica: "work",
} as const satisfies Record<Hit["kind"], string>;

/** The line of something that was found by its name. */
export function lineOfHit(hit: Hit, mayManagePeople: boolean): Found {
  const group = HIT_GROUPS[hit.kind];
  return {
    key: `${hit.kind} ${hit.id}`,
    label: hit.name,
    group,
    detail: hit.detail,
    ...(group === "work" && { state: hit.state }),
    leads: { to: pageOf(hit, mayManagePeople) },
  };
}

export function lineOfEntry({ to, label, group }: QuickEntry): Found {
  return { key: `${group} ${to}`, label, group, leads: { to } };
}

export function lineOfVerb(verb: QuickVerb, label: string): Found {
  return { key: verb, label, group: "acts", leads: { verb } };
}

/** All but its words. */
export function lineOfAct(act: QuickAct): Omit<Found, "label"> {
  const key = `${act.verb} ${act.verb === "drain" ? act.node.id : act.work.id}`;
  const line = { key, group: "acts" as const, leads: { act } };
  if (act.verb === "drain") return line;
  const { owner, state } = act.work;
  return { ...line, detail: owner.display_name || owner.username, state };
}
