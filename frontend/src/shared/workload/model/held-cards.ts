/** The devices of one replica, card by card: neighbouring slices of a card are one thing. Pure. */
import type { WorkloadDetail } from "@/shared/api/types";

type Allocation = WorkloadDetail["allocations"][number];
type Device = Allocation["devices"][number];

export interface HeldCard {
  uuid: string;
  index: number;
  /** Taken slots in rising order; empty for a whole card and for a share of any size. */
  slots: number[];
  /** Guaranteed thousandths of its processors; 0 where it is no share. */
  gpuMilli: number;
  memoryMib: number;
  /** What its memory may grow to; 0 where it does not grow. */
  ceilingMib: number;
}

export function heldCards(devices: readonly Device[]): HeldCard[] {
  const cards = new Map<string, HeldCard>();
  for (const { uuid, index, slot, slices, gpu_milli, memory_mib, ceiling_mib } of devices) {
    const card = cards.get(uuid) ?? newCard(uuid, index);
    card.memoryMib += memory_mib;
    card.ceilingMib += ceiling_mib ?? 0;
    card.gpuMilli += gpu_milli;
    if (slices > 1) card.slots.push(slot);
    cards.set(uuid, card);
  }
  for (const card of cards.values()) card.slots.sort((a, b) => a - b);
  return [...cards.values()].sort((a, b) => a.index - b.index);
}

/** The index of a card that an attempt held; undefined where that attempt is no longer listed. */
export function indexOfCard(
  allocations: readonly Pick<Allocation, "devices">[],
  uuid: string,
): number | undefined {
  return allocations.flatMap(({ devices }) => devices).find((held) => held.uuid === uuid)?.index;
}

function newCard(uuid: string, index: number): HeldCard {
  return { uuid, index, slots: [], gpuMilli: 0, memoryMib: 0, ceilingMib: 0 };
}
