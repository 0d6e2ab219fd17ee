import { expect, it } from "vitest";
import { heldCards } from "./held-cards";

const slice = { model: "Simulated 32GB", slices: 8, memory_mib: 4096, share_milli: 0 };

it("tells the slices of one card as one thing", () => {
  const held = heldCards([
    { ...slice, uuid: "b", index: 1, slot: 0 },
    { ...slice, uuid: "a", index: 0, slot: 7 },
    { ...slice, uuid: "a", index: 0, slot: 2 },
  ]);
  expect(held).toEqual([
    { uuid: "a", index: 0, slots: [2, 7], memoryMib: 8192 },
    { uuid: "b", index: 1, slots: [0], memoryMib: 4096 },
  ]);
});
