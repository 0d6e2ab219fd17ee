/** The near future of a pool over time: what runs until when, what is promised, what is expected. Pure. */
import type { PoolQueue, WaitingWork, WorkGlimpse } from "@/shared/api/types";

/** `expected` is an estimate, `reserved` a promise; own work stays `mine` wherever it runs. */
export type BarUse = "mine" | "taken" | "reserved" | "expected";

export interface Bar {
  key: string;
  work: WorkGlimpse;
  use: BarUse;
  /** Work of one pool on cards of another. */
  isLent: boolean;
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
/** Hours of each span, with the hours between two ticks. */
const SPANS = { "2h": [2, 0.5], "12h": [12, 3], "3d": [72, 12] } as const;
export type AxisSpan = keyof typeof SPANS;
export const SPAN_NAMES = Object.keys(SPANS) as AxisSpan[];

/** Promised starts of work that is not listed as waiting, then what runs, in the order in which it ends. */
export function barsOf({ reservations, running, waiting }: PoolQueue, now: Date): Bar[] {
  const listed = new Set(waiting.flatMap(({ work }) => work.id ?? []));
  const promised = reservations
    .filter(({ work }) => !work.id || !listed.has(work.id))
    .map((reservation, index) => promiseOf(reservation, `reserved ${index}`));
  const held = running.map(
    ({ work, lender, started_at, ends_at, nodes }, index): Bar => ({
      key: `running ${index}`,
      work,
      use: work.mine ? "mine" : "taken",
      isLent: lender !== null,
      from: started_at ? new Date(started_at) : now,
      to: ends_at ? new Date(ends_at) : null,
      nodes: [...new Set(nodes)],
    }),
  );
  const endOf = ({ to }: Bar) => to?.getTime() ?? Number.POSITIVE_INFINITY;
  return [...promised, ...held.toSorted((a, b) => endOf(a) - endOf(b))];
}

type Promise = PoolQueue["reservations"][number];

function promiseOf({ work, starts_at, nodes }: Promise, key: string): Bar {
  return {
    key,
    work,
    use: "reserved",
    isLent: false,
    from: new Date(starts_at),
    to: null,
    nodes: nodes.map(({ node }) => node.name),
  };
}

/** When waiting work starts: as it is promised, else between the ends of its estimate; null without either. */
export function startBar(
  { work, expected_start }: Pick<WaitingWork, "work" | "expected_start">,
  reservations: readonly Promise[],
): Bar | null {
  const promise = work.id && reservations.find((reserved) => reserved.work.id === work.id);
  if (promise) return promiseOf(promise, "promised");
  if (!expected_start) return null;
  return {
    key: "expected",
    work,
    use: "expected",
    isLent: false,
    from: new Date(expected_start.earliest),
    to: new Date(expected_start.latest),
    nodes: [],
  };
}

/** The shortest span that shows every start that is promised or expected; ends of work may lie beyond it. */
export function spanFor({ reservations, waiting }: PoolQueue, now: Date): AxisSpan {
  const starts = [
    ...reservations.map(({ starts_at }) => starts_at),
    ...waiting.flatMap(({ expected_start }) => expected_start?.earliest ?? []),
  ];
  const last = Math.max(now.getTime(), ...starts.map((start) => Date.parse(start)));
  const hours = (1.1 * (last - now.getTime())) / HOUR_MS;
  return SPAN_NAMES.find((name) => SPANS[name][0] >= hours) ?? "3d";
}

export function axisOf(span: AxisSpan, now: Date): Axis {
  const [hours, between] = SPANS[span];
  const at = (offset: number) => new Date(now.getTime() + offset * HOUR_MS);
  const ticks = Array.from({ length: hours / between + 1 }, (_, index) => at(index * between));
  return { from: now, to: at(hours), ticks };
}

/** Where a bar lies on the axis, in percent; ends that are not known or too far run to the edge. */
export function extentOf({ from, to }: Bar, axis: Axis): { left: number; width: number } {
  const whole = axis.to.getTime() - axis.from.getTime();
  const place = (moment: number) =>
    (100 * Math.min(Math.max(moment - axis.from.getTime(), 0), whole)) / whole;
  const left = place(from.getTime());
  return { left, width: place(to?.getTime() ?? Number.POSITIVE_INFINITY) - left };
}

const CELLS_MAX = 16;

/** The size of a request as little cells, the filled ones first: slices of one card, or whole GPUs. */
export function sizeCells(
  { gpus, slices, replicas }: Pick<WorkGlimpse, "gpus" | "slices" | "replicas">,
  slicesPerCard: number,
): { filled: number; total: number } {
  if (slices > 0) return { filled: slices, total: Math.max(slices, slicesPerCard) };
  const filled = Math.min(CELLS_MAX, gpus * replicas);
  return { filled, total: filled };
}
