import { describe, expect, it } from "vitest";
import { aGlimpse, aQueue } from "@/testing/factories";
import { axisOf, barsOf, extentOf, sizeCells, spanFor, startBar } from "./schedule";

const now = new Date("2026-03-01T12:00:00Z");
const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString();
const pool = { id: "p", name: "training", title_en: "Training", title_zh: "训练池" };
const range = (from: number, to: number) => ({
  earliest: at(from),
  latest: at(to),
  basis: "limits" as const,
  sure_percent: null,
  estimates: 0,
});
const waits = (id: string | null, expected_start: ReturnType<typeof range> | null) => ({
  position: 1,
  work: aGlimpse({ id }),
  priority: 0,
  submitted_at: at(-1),
  expected_start,
  reasons: [],
});
const reserved = (id: string | null, hours: number) => ({
  work: aGlimpse({ id }),
  starts_at: at(hours),
  nodes: [{ node: { id: "n", name: "n1" }, replicas: 1 }],
});

const queue = aQueue({
  reservations: [reserved(null, 2), reserved("listed", 3)],
  waiting: [waits("listed", range(1, 3))],
  running: [
    { hours: 400, mine: false, lender: null },
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

  it("shows promises of what is not listed first, then what runs by its end; own work is own when lent, too", () => {
    expect(bars.map(({ use, isLent }) => [use, isLent])).toEqual([
      ["reserved", false],
      ["mine", false],
      ["taken", false],
      ["mine", true],
    ]);
    expect(bars[1]?.nodes).toEqual(["n1"]);
  });

  it("chooses its span by the starts, whatever runs for weeks", () => {
    expect(spanFor(queue, now)).toBe("12h");
    expect(spanFor(aQueue({ running: queue.running }), now)).toBe("2h");
    expect(spanFor(aQueue({ reservations: [reserved("x", 30)] }), now)).toBe("3d");
    expect(spanFor(aQueue({ reservations: [reserved("x", 300)] }), now)).toBe("3d");
  });

  it.each([
    ["2h", 5, 2],
    ["12h", 5, 12],
    ["3d", 7, 72],
  ] as const)("has round ticks over %s", (span, ticks, hours) => {
    const axis = axisOf(span, now);
    expect(axis.ticks).toHaveLength(ticks);
    expect(axis.ticks.at(-1)).toEqual(axis.to);
    expect(axis.to.toISOString()).toBe(at(hours));
  });

  it("cuts bars at its edges", () => {
    const extents = bars.map((bar) => extentOf(bar, axisOf("2h", now)));
    expect(extents.map(({ left }) => Math.round(left))).toEqual([100, 0, 0, 0]);
    expect(extents.map(({ left, width }) => Math.round(left + width))).toEqual([100, 50, 100, 100]);
  });

  it("draws a promise before an estimate, and nothing where there is neither", () => {
    const [row] = queue.waiting;
    expect(startBar(row as never, queue.reservations)?.use).toBe("reserved");
    const other = startBar(waits("other", range(1, 3)), queue.reservations);
    expect([other?.use, other?.to?.toISOString()]).toEqual(["expected", at(3)]);
    expect(startBar(waits(null, null), queue.reservations)).toBeNull();
  });
});

it("draws a request as cells", () => {
  const size = (gpus: number, slices: number, replicas = 1) =>
    sizeCells({ gpus, slices, replicas }, 8);
  expect(size(0, 3)).toEqual({ filled: 3, total: 8 });
  expect(size(4, 0, 2)).toEqual({ filled: 8, total: 8 });
  expect(size(8, 0, 64)).toEqual({ filled: 16, total: 16 });
});
