/** How a stored answer goes on: with the points that the server pushes, or with a later answer. Pure. */
import type { Telemetry } from "@/shared/api/types";
import type { NewPoints } from "@/shared/live/socket";

type SampleTail = NonNullable<Telemetry["tail"]>;
type SampleColumn = SampleTail["columns"][number];
type Samples = SampleTail["series"][number];

/** Steps that are asked for or kept again: samples may come late. */
const OVERLAP = 2;
const OVERLAP_MS = 60_000;

function overlapOf(step_s: number): number {
  return Math.max(OVERLAP * 1000 * step_s, OVERLAP_MS);
}

/** From when a stored answer is asked for again; null when all of it is. */
export function tailBegin({ times, step_s }: Telemetry, since: number): number | null {
  const last = times.at(-1);
  const first = times[0];
  if (last === undefined || first === undefined) return null;
  const begin = last - overlapOf(step_s);
  return begin > first && begin > since ? begin : null;
}

/** A stored answer from `since` on, with its tail in place of its last steps; null if they do not fit. */
export function joinTail(old: Telemetry, tail: Telemetry, since: number): Telemetry | null {
  const [begin = 0] = tail.times;
  const end = old.times.indexOf(begin);
  if (old.step_s !== tail.step_s || end < 0) return null;
  const start = startOf(old.times, since);
  const before = new Map(old.series.map((line) => [`${line.metric} ${line.subject}`, line.values]));
  return {
    ...tail,
    times: [...old.times.slice(start, end), ...tail.times],
    series: tail.series.map((line) => {
      const known = before.get(`${line.metric} ${line.subject}`) ?? Array(end).fill(null);
      return { ...line, values: [...known.slice(start, end), ...line.values] };
    }),
  };
}

function startOf(times: readonly number[], since: number): number {
  return Math.max(
    0,
    times.findLastIndex((time) => time <= since),
  );
}

/**
 * A stored answer from `since` on with new points, as the server would give it now: the steps that they
 * are in are computed from all their samples. Null where something is missing and must be asked for.
 */
export function addPoints(old: Telemetry, points: NewPoints, since: number): Telemetry | null {
  const { tail, step_s } = old;
  const stepMs = 1000 * step_s;
  const found = tail && withPoints(tail, points, stepMs);
  if (!found) return null;
  const { series, touched } = found;
  const times = grown(old.times, Math.max(...touched), stepMs);
  const values = recomputed(old, { ...tail, series }, times, touched);
  if (!values) return null;
  const start = startOf(times, since);
  const begin = beginOf((times.at(-1) ?? 0) - overlapOf(step_s), stepMs);
  return {
    step_s,
    times: times.slice(start),
    series: old.series.map((line, index) => ({
      ...line,
      values: (values[index] ?? []).slice(start),
    })),
    tail: trimmed({ ...tail, series }, begin, stepMs),
  };
}

/** When the step begins that holds a moment. */
function beginOf(at: number | null | undefined, stepMs: number): number {
  return (at ?? 0) - ((at ?? 0) % stepMs);
}

/** All samples of a tail with new ones, and the steps that these are in; null where others are missing. */
function withPoints(tail: SampleTail, { after, series }: NewPoints, stepMs: number) {
  const known = new Map(tail.series.map((one) => [one.id, one]));
  const touched = new Set<number>();
  for (const { id, points } of series) {
    const one = known.get(id);
    if (!one || after === null || (one.points.at(-1)?.[0] ?? 0) < after) return null;
    const fresh = points.filter(([at]) => !one.points.some(([other]) => other === at));
    for (const [at] of fresh) touched.add(beginOf(at, stepMs));
    known.set(id, { ...one, points: inOrder([...one.points, ...fresh]) });
  }
  if ([...touched].some((begin) => begin < tail.since + stepMs)) return null;
  return { series: [...known.values()], touched };
}

function inOrder(points: Samples["points"]): Samples["points"] {
  return points.sort(([one], [other]) => (one ?? 0) - (other ?? 0));
}

function grown(times: readonly number[], until: number, stepMs: number): number[] {
  const all = [...times];
  for (let at = (all.at(-1) ?? until - stepMs) + stepMs; at <= until; at += stepMs) all.push(at);
  return all;
}

/** The samples from `begin` on, and of each series its last step before, from which rates rise. */
function trimmed(tail: SampleTail, begin: number, stepMs: number): SampleTail {
  if (begin <= tail.since) return tail;
  const series = tail.series.map((one) => {
    const before = one.points.findLast(([at]) => (at ?? 0) < begin);
    const from = before ? beginOf(before[0], stepMs) : begin;
    return { ...one, points: one.points.filter(([at]) => (at ?? 0) >= from) };
  });
  return { ...tail, since: begin, series };
}

/** The values of all lines, with those of touched steps and of the steps that rise from them anew. */
function recomputed(
  old: Telemetry,
  tail: SampleTail,
  times: number[],
  touched: ReadonlySet<number>,
) {
  const stepMs = 1000 * old.step_s;
  const steps = tail.series.map(({ subject, points }) => ({
    subject,
    steps: stepsOf(points, stepMs),
  }));
  const affected = new Set(touched);
  for (const { steps: own } of steps) {
    own.forEach(({ begin }, place) => {
      const next = own[place + 1];
      if (touched.has(begin) && next) affected.add(next.begin);
    });
  }
  const columnOf = new Map(tail.columns.map((column, place) => [column.metric, { column, place }]));
  let isKnown = true;
  const lines = old.series.map(({ subject, metric, values: before }) => {
    const values = [...before, ...Array(times.length - before.length).fill(null)];
    const found = columnOf.get(metric);
    const own = steps.filter((one) => one.subject === subject);
    for (const begin of affected) {
      const index = times.indexOf(begin);
      if (!found || index < 0) continue;
      const parts = own.map((one) => valueIn(one.steps, begin, found.column, found.place));
      // What its rate rises from is not among the samples.
      if (parts.includes(undefined) && values[index] !== null) isKnown = false;
      values[index] = combined(parts, found.column);
    }
    return values as (number | null)[];
  });
  return isKnown ? lines : null;
}

interface SampleStep {
  begin: number;
  points: Samples["points"];
}

function stepsOf(points: Samples["points"], stepMs: number): SampleStep[] {
  const steps: SampleStep[] = [];
  for (const point of points) {
    const begin = beginOf(point[0], stepMs);
    const last = steps.at(-1);
    if (last?.begin === begin) last.points.push(point);
    else steps.push({ begin, points: [point] });
  }
  return steps;
}

/** The mean of a step, or its rise a second since the one before; undefined without one before. */
function valueIn(steps: SampleStep[], begin: number, { is_counter }: SampleColumn, place: number) {
  const index = steps.findIndex((step) => step.begin === begin);
  const step = steps[index];
  if (!step) return null;
  const values = valuesOf(step, place);
  if (!is_counter) {
    return values.length === 0 ? null : rounded(sumOf(values) / values.length, 0);
  }
  const previous = steps[index - 1];
  if (!previous) return undefined;
  const [most, least] = [Math.max(...values), Math.max(...valuesOf(previous, place))];
  const seconds = (seenOf(step) - seenOf(previous)) / 1000;
  return Number.isFinite(most) && Number.isFinite(least) && most >= least
    ? (most - least) / seconds
    : null;
}

function valuesOf({ points }: SampleStep, place: number): number[] {
  return points.flatMap((point) => point[place + 1] ?? []);
}

function seenOf({ points }: SampleStep): number {
  return points.at(-1)?.[0] ?? 0;
}

function combined(
  parts: readonly (number | null | undefined)[],
  column: SampleColumn,
): number | null {
  const known = parts.filter((part) => part !== null && part !== undefined);
  if (known.length === 0) return null;
  const total = column.is_summed ? sumOf(known) : sumOf(known) / known.length;
  return rounded(total * column.factor, 2);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** As on the server, which may round halves of a hundredth the other way. */
function rounded(value: number, digits: number): number {
  return Math.sign(value) * Number(Math.abs(value).toFixed(digits)) || 0;
}
