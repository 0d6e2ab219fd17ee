import { describe, expect, it } from "vitest";
import { aCard, takenSlots } from "@/testing/factories";
import { cellsOf, countUses, freeSlots, planSlices } from "./cells";

describe("cellsOf", () => {
  it("shows what is mine, taken and free", () => {
    const counts = countUses(cellsOf(aCard({ holders: takenSlots(5, 2) }), "ready"));
    expect(counts).toEqual({ free: 3, mine: 2, taken: 3, planned: 0, closed: 0, broken: 0 });
  });

  it("marks what is lent to another pool", () => {
    const holders = takenSlots(2).map((holder) => ({ ...holder, lent: holder.slot === 1 }));
    const lent = cellsOf(aCard({ holders }), "ready").filter(({ isLent }) => isLent);
    expect(lent.map(({ slot }) => slot)).toEqual([1]);
  });

  it("draws a whole card as one cell", () => {
    const whole = aCard({ mode: "exclusive", slices: 1, holders: takenSlots(1) });
    expect(cellsOf(whole, "ready")).toHaveLength(1);
  });

  it.each(["cordoned", "draining", "drained", "lost", "unready"] as const)(
    "calls nothing free on a node that is %s",
    (state) => {
      const counts = countUses(cellsOf(aCard({ holders: takenSlots(5, 2) }), state));
      expect(counts).toEqual({ free: 0, mine: 2, taken: 3, planned: 0, closed: 3, broken: 0 });
    },
  );

  it("offers nothing of a card that is out of service", () => {
    expect(freeSlots(aCard({ state: "bad" }))).toEqual([]);
  });
});

describe("planSlices", () => {
  const whole = aCard({ id: "whole" });
  const half = aCard({ id: "half", holders: takenSlots(4) });
  const nearlyFull = aCard({ id: "nearly-full", holders: takenSlots(6) });

  it("takes the fullest card that fits, so that whole cards stay whole", () => {
    expect(planSlices([whole, half, nearlyFull], 2)).toEqual({
      cardId: "nearly-full",
      slots: [6, 7],
    });
    expect(planSlices([whole, half, nearlyFull], 3)?.cardId).toBe("half");
    expect(planSlices([whole, half, nearlyFull], 8)?.cardId).toBe("whole");
  });

  it("never spreads the slices of one notebook over cards", () => {
    expect(planSlices([half, half], 5)).toBeNull();
  });
});
