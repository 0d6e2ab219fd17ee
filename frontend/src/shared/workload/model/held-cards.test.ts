import { expect, it } from "vitest";
import { heldCards, indexOfCard } from "./held-cards";

const slice = {
  model: "Simulated 32GB",
  slices: 8,
  memory_mib: 4096,
  gpu_milli: 0,
  ceiling_mib: 6144,
};

it("tells the slices of one card as one thing", () => {
  const held = heldCards([
    { ...slice, uuid: "b", index: 1, slot: 0 },
    { ...slice, uuid: "a", index: 0, slot: 7 },
    { ...slice, uuid: "a", index: 0, slot: 2 },
  ]);
  expect(held).toEqual([
    { uuid: "a", index: 0, slots: [2, 7], gpuMilli: 0, memoryMib: 8192, ceilingMib: 12_288 },
    { uuid: "b", index: 1, slots: [0], gpuMilli: 0, memoryMib: 4096, ceilingMib: 6144 },
  ]);
});

it("tells a share by its thousandths", () => {
  const share = { ...slice, uuid: "a", index: 0, slot: 3, slices: 1, gpu_milli: 250 };
  expect(heldCards([share])).toEqual([
    { uuid: "a", index: 0, slots: [], gpuMilli: 250, memoryMib: 4096, ceilingMib: 6144 },
  ]);
});

it("knows the number of a card that an attempt has held", () => {
  const attempts = [{ devices: [{ ...slice, uuid: "a", index: 3, slot: 0 }] }, { devices: [] }];
  expect(indexOfCard(attempts, "a")).toBe(3);
  expect(indexOfCard(attempts, "b")).toBeUndefined();
});
