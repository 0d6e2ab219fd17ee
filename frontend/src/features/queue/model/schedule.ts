/** The near future of a pool as bars over time: what runs until when, and what is promised. Pure. */
import type { PoolQueue, WorkGlimpse } from "@/shared/api/types";

export type BarUse = "mine" | "taken" | "guest" | "reserved";

export interface Bar {
  key: string;
  work: WorkGlimpse;
  use: BarUse;
  from: Date;
  /** Null when its end is not known. */
  to: Date | null;
  nodes: string[];
}

export interface Axis {
  from: Date;
  to: Date;
  ticks: Date[];
}

const HOUR_MS = 3_600_000;
const SPANS_H = [1, 3, 6, 12, 24, 72, 168] as const;
const TICKS = 6;

/** Promised starts first, then what runs, in the order in which it ends at the latest. */
export function barsOf({ reservations, running }: PoolQueue, now: Date): Bar[] {
  const promised = reservations.map(
    ({ work, starts_at, nodes }, index): Bar => ({
      key: `reserved ${index}`,
      work,
      use: "reserved",
      from: new Date(starts_at),
      to: null,
      nodes: nodes.map(({ node }) => node.name),
    }),
  );
  const held = running.map(
    ({ work, lender, started_at, ends_at, nodes }, index): Bar => ({
      key: `running ${index}`,
      work,
      use: lender ? "guest" : work.mine ? "mine" : "taken",
      from: started_at ? new Date(started_at) : now,
      to: ends_at ? new Date(ends_at) : null,
      nodes: [...new Set(nodes)],
    }),
  );
  const endOf = ({ to }: Bar) => to?.getTime() ?? Number.POSITIVE_INFINITY;
  return [...promised, ...held.toSorted((a, b) => endOf(a) - endOf(b))];
}

/** From now to a round span that holds every promised start, or else the ends of what runs. */
export function axisOf(bars: readonly Bar[], now: Date): Axis {
  const promised = bars.filter(({ use }) => use === "reserved").map(({ from }) => from);
  const ends = bars.flatMap(({ to }) => (to ? [to] : []));
  const marks = promised.length > 0 ? promised : ends;
  const last = Math.max(now.getTime(), ...marks.map((mark) => mark.getTime()));
  const hours = (1.15 * (last - now.getTime())) / HOUR_MS;
  const span = (SPANS_H.find((offered) => offered >= hours) ?? 168) * HOUR_MS;
  const ticks = Array.from(
    { length: TICKS + 1 },
    (_, index) => new Date(now.getTime() + (index * span) / TICKS),
  );
  return { from: now, to: new Date(now.getTime() + span), ticks };
}

/** Where a bar lies on the axis, in percent; ends that are not known or too far run to the edge. */
export function extentOf({ from, to }: Bar, axis: Axis): { left: number; width: number } {
  const whole = axis.to.getTime() - axis.from.getTime();
  const place = (moment: number) =>
    (100 * Math.min(Math.max(moment - axis.from.getTime(), 0), whole)) / whole;
  const left = place(from.getTime());
  return { left, width: place(to?.getTime() ?? Number.POSITIVE_INFINITY) - left };
}
