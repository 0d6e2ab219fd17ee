import { describe, expect, it } from "vitest";
import { aCard, takenSlots } from "@/testing/factories";
import { cellsOf, countUses } from "./cells";

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
    expect(countUses(cellsOf(aCard({ state: "bad" }), "ready")).free).toBe(0);
  });

  it("draws what a draft would take over what is free only", () => {
    const cells = cellsOf(aCard({ holders: takenSlots(1) }), "ready", [0, 1]);
    expect(cells.filter(({ use }) => use === "planned").map(({ slot }) => slot)).toEqual([1]);
  });
});
