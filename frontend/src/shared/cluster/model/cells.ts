/** A card as the row of its slices. Pure. */
import type { Accelerator } from "@/shared/api/types";

/** `closed`: held by nobody, on a node that takes no work now. */
export type CellUse = "free" | "mine" | "taken" | "planned" | "closed" | "broken";

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
  const holders = new Map(card.holders.map((holder) => [holder.slot, holder]));
  return Array.from({ length: Math.max(card.slices, 1) }, (_, slot) => {
    const holder = holders.get(slot);
    return {
      slot,
      use: holder ? (holder.mine ? "mine" : "taken") : unheld(card, node, planned.includes(slot)),
      name: holder?.workload_name ?? null,
      owner: holder?.owner ? holder.owner.display_name || holder.owner.username : null,
      isLent: holder?.lent ?? false,
    };
  });
}

/** How many cells have each use; for labels and legends. */
export function countUses(cells: readonly Cell[]): Record<CellUse, number> {
  const counts = { free: 0, mine: 0, taken: 0, planned: 0, closed: 0, broken: 0 };
  for (const { use } of cells) counts[use] += 1;
  return counts;
}

function unheld(card: Card, node: string, isPlanned: boolean): CellUse {
  if (card.state !== "ok") return "broken";
  if (node !== "ready") return "closed";
  return isPlanned ? "planned" : "free";
}
