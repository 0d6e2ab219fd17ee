import { describe, expect, it } from "vitest";
import { aCard, takenSlots } from "@/testing/factories";
import { cellsOf, countUses } from "./cells";

const shown = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

describe("cellsOf", () => {
  it("shows what is mine, taken and free", () => {
    const counts = countUses(cellsOf(aCard({ holders: takenSlots(5, 2) }), "ready"));
    expect(shown(counts)).toEqual({ free: 3, mine: 2, taken: 3 });
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

  it.each([
    ["cordoned", "drained"],
    ["draining", "draining"],
    ["drained", "drained"],
    ["lost", "closed"],
    ["unready", "closed"],
  ] as const)("calls nothing free on a node that is %s, but %s", (state, use) => {
    const counts = countUses(cellsOf(aCard({ holders: takenSlots(5, 2) }), state));
    expect(shown(counts)).toEqual({ mine: 2, taken: 3, [use]: 3 });
  });

  it("calls a card lost that has left by an error, whoever held it", () => {
    const lost = aCard({ state: "gone", holders: takenSlots(5, 2) });
    expect(shown(countUses(cellsOf(lost, "ready")))).toEqual({ lost: 8 });
  });

  it("offers nothing of a card that is out of service", () => {
    expect(countUses(cellsOf(aCard({ state: "bad" }), "ready")).free).toBe(0);
  });

  it("draws what a draft would take over what is free only", () => {
    const cells = cellsOf(aCard({ holders: takenSlots(1) }), "ready", [0, 1]);
    expect(cells.filter(({ use }) => use === "planned").map(({ slot }) => slot)).toEqual([1]);
  });
});
