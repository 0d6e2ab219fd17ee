/** A card as the row of its slices. Pure. */
import type { Accelerator } from "@/shared/api/types";

/**
 * Each has one look everywhere. Held by nobody are `draining`, `drained` (or cordoned) and `closed` (silent or
 * joining) on nodes that take no work, and `faulty`; `lost` has left by an error, whoever held it.
 */
export const CELL_USES = [
  "mine",
  "taken",
  "free",
  "planned",
  "draining",
  "drained",
  "closed",
  "faulty",
  "lost",
] as const;
export type CellUse = (typeof CELL_USES)[number];

export interface Cell {
  slot: number;
  use: CellUse;
  /** Name of the work, where this reader may see it. */
  name: string | null;
  owner: string | null;
  /** Held by work of another pool: the card is lent. */
  isLent: boolean;
}

/** What a card's cells are drawn from. */
export type Card = Pick<Accelerator, "id" | "slices" | "state" | "holders">;

/** One cell per slice; a whole card is one cell. `planned` slots are drawn over free ones. */
export function cellsOf(card: Card, node: string, planned: readonly number[] = []): Cell[] {
  const unheld = unheldUse(card.state, node);
  const held = unheld === "lost" ? [] : card.holders;
  const holders = new Map(held.map((holder) => [holder.slot, holder]));
  return Array.from({ length: Math.max(card.slices, 1) }, (_, slot) => {
    const holder = holders.get(slot);
    if (holder) return heldCell(slot, holder);
    const use = unheld === "free" && planned.includes(slot) ? "planned" : unheld;
    return { slot, use, name: null, owner: null, isLent: false };
  });
}

function heldCell(
  slot: number,
  { mine, lent, workload_name, owner }: Card["holders"][number],
): Cell {
  return {
    slot,
    use: mine ? "mine" : "taken",
    name: workload_name,
    owner: owner && (owner.display_name || owner.username),
    isLent: lent,
  };
}

const OF_NODES: Partial<Record<string, CellUse>> = {
  ready: "free",
  draining: "draining",
  drained: "drained",
  cordoned: "drained",
};

/** What a part of a card is that nobody holds, by the states of the card and of its node. */
export function unheldUse(card: string, node: string): CellUse {
  if (card === "gone") return "lost";
  if (card !== "ok") return "faulty";
  return OF_NODES[node] ?? "closed";
}

/** How many cells have each use; for labels and legends. */
export function countUses(cells: readonly Cell[]): Record<CellUse, number> {
  const counts = Object.fromEntries(CELL_USES.map((use) => [use, 0])) as Record<CellUse, number>;
  for (const { use } of cells) counts[use] += 1;
  return counts;
}

/** The one scale for what is measured: viridis, even to the eye and to the colour-blind. */
export const SCALE = viridis(64);

/** The colour of a part of the whole, from 0 to 1. */
export function colourOnScale(part: number): string {
  const step = Math.round(Math.min(1, Math.max(0, part)) * (SCALE.length - 1));
  return SCALE[step] as string;
}

function viridis(steps: number): string[] {
  const anchors = [
    [68, 1, 84],
    [72, 40, 120],
    [62, 74, 137],
    [49, 104, 142],
    [38, 130, 142],
    [31, 158, 137],
    [53, 183, 121],
    [109, 205, 89],
    [180, 222, 44],
    [253, 231, 37],
  ] as const;
  return Array.from({ length: steps }, (_, step) => {
    const at = (step / (steps - 1)) * (anchors.length - 1);
    const low = anchors[Math.floor(at)] ?? anchors[0];
    const high = anchors[Math.ceil(at)] ?? low;
    const mixed = low.map((value, part) =>
      Math.round(value + (at - Math.floor(at)) * ((high[part] ?? value) - value)),
    );
    return `rgb(${mixed.join(" ")})`;
  });
}
