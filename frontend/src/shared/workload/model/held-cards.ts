/** The devices of one replica, card by card: neighbouring slices of a card are one thing. Pure. */
import type { WorkloadDetail } from "@/shared/api/types";

type Device = WorkloadDetail["allocations"][number]["devices"][number];

export interface HeldCard {
  uuid: string;
  index: number;
  /** Taken slots in rising order; empty for a whole card. */
  slots: number[];
  memoryMib: number;
}

export function heldCards(devices: readonly Device[]): HeldCard[] {
  const cards = new Map<string, HeldCard>();
  for (const { uuid, index, slot, slices, memory_mib } of devices) {
    const card = cards.get(uuid) ?? { uuid, index, slots: [], memoryMib: 0 };
    card.memoryMib += memory_mib;
    if (slices > 1) card.slots.push(slot);
    cards.set(uuid, card);
  }
  for (const card of cards.values()) card.slots.sort((a, b) => a - b);
  return [...cards.values()].sort((a, b) => a.index - b.index);
}
