import { describe, expect, it } from "vitest";
import { aGlimpse, aQueue } from "@/testing/factories";
import { axisOf, barsOf, extentOf } from "./schedule";

const now = new Date("2026-03-01T12:00:00Z");
const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString();
const pool = { id: "p", name: "training", title_en: "Training", title_zh: "训练池" };

const queue = aQueue({
  reservations: [
    {
      work: aGlimpse(),
      starts_at: at(2),
      nodes: [{ node: { id: "n", name: "n1" }, replicas: 1 }],
    },
  ],
  running: [
    { hours: 5, mine: false, lender: null },
    { hours: 1, mine: true, lender: null },
    { hours: null, mine: true, lender: pool },
  ].map(({ hours, mine, lender }) => ({
    work: aGlimpse({ mine }),
    state: "running",
    pool,
    lender,
    started_at: at(-1),
    ends_at: hours === null ? null : at(hours),
    nodes: ["n1", "n1"],
  })),
});

describe("the schedule of a pool", () => {
  const bars = barsOf(queue, now);

  it("shows what is promised first, then what runs by its end", () => {
    expect(bars.map(({ use }) => use)).toEqual(["reserved", "mine", "taken", "guest"]);
    expect(bars[1]?.nodes).toEqual(["n1"]);
  });

  it("reaches beyond the promised starts, in round hours", () => {
    const axis = axisOf(bars, now);
    expect(axis.to.toISOString()).toBe("2026-03-01T15:00:00.000Z");
    expect(axis.ticks).toHaveLength(7);
  });

  it("cuts bars at its edges", () => {
    const axis = axisOf(bars, now);
    const extents = bars.map((bar) => extentOf(bar, axis));
    expect(extents.map(({ left }) => Math.round(left))).toEqual([67, 0, 0, 0]);
    expect(extents.map(({ left, width }) => Math.round(left + width))).toEqual([100, 33, 100, 100]);
  });

  it("shows an hour when nothing happens", () => {
    expect(axisOf([], now).to.toISOString()).toBe("2026-03-01T13:00:00.000Z");
  });
});
