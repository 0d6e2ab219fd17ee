/** What a line chart draws: its lines, gaps, lonely points and the ends of its scales. Pure. */

/** Null is a gap; undefined is no point of this line, and the line goes on across it. */
export type PlotValue = number | null | undefined;

export interface PlotLine {
  key: string;
  values: readonly PlotValue[];
  /** Name of the CSS variable that holds its colour. */
  colour: string;
  /** `edge` is an invisible edge of a band; `limit` is dashed. */
  style?: "faint" | "sum" | "limit" | "edge";
}

/** The area between two lines, which stand next to each other: the higher one first. */
export interface PlotBand {
  high: number;
  colour: string;
}

export interface Extent {
  from: number;
  to: number;
}

/** Nodes measure at most ten seconds apart: shorter holes are no gaps. */
const JOINED_MS = 15_000;

/** Values in which a hole that is shorter than two measurements joins its neighbours. */
export function joinHoles(values: readonly PlotValue[], stepMs: number): PlotValue[] {
  const joined: PlotValue[] = [...values];
  let known = -1;
  values.forEach((value, index) => {
    if (value === null || value === undefined) return;
    if (known >= 0 && (index - known) * stepMs <= JOINED_MS)
      joined.fill(undefined, known + 1, index);
    known = index;
  });
  return joined;
}

/** The points without a neighbour to draw a line to. */
export function lonelyPoints(values: readonly PlotValue[]): number[] {
  const runs: number[][] = [[]];
  values.forEach((value, index) => {
    if (value === null) runs.push([]);
    else if (value !== undefined) runs.at(-1)?.push(index);
  });
  return runs.filter((run) => run.length === 1).flat();
}

/** One axis for lines with points of their own; undefined where a line has none. */
export function alignLines(
  lines: readonly { xs: readonly number[]; values: readonly (number | null)[] }[],
): { xs: number[]; values: PlotValue[][] } {
  const xs = [...new Set(lines.flatMap((line) => line.xs))].sort((one, other) => one - other);
  const place = new Map(xs.map((x, index) => [x, index]));
  const values = lines.map((line) => {
    const aligned: PlotValue[] = xs.map(() => undefined);
    line.xs.forEach((x, index) => {
      aligned[place.get(x) ?? 0] = line.values[index] ?? null;
    });
    return aligned;
  });
  return { xs, values };
}

/** The nearest point of a line to a place on the common axis; null where it has none at all. */
export function nearestIndex(values: readonly PlotValue[], index: number): number | null {
  for (let away = 0; away < values.length; away += 1) {
    if (values[index + away] !== undefined && index + away < values.length) return index + away;
    if (index - away >= 0 && values[index - away] !== undefined) return index - away;
  }
  return null;
}

/** From the lowest to the highest value with a little room; a flat line gets room on both sides. */
export function roomyRange(least: number, most: number): [number, number] {
  const room = (most - least) / 20 || Math.abs(most) / 2 || 1;
  return [least - room, most + room];
}

/** So that a flat line does not lie on the upper edge. */
const HEADROOM = 1.1;

/** From zero to above the highest value, and at least to `least`. */
export function rangeFromZero(most: number, least: number): [number, number] {
  return [0, Math.max(most * HEADROOM, least)];
}

/** Distances of the marks of an axis: powers of two for memory, of ten otherwise. */
export function marksOf(isBinary: boolean): number[] {
  if (isBinary) return Array.from({ length: 62 }, (_, power) => 2 ** (power - 2));
  return Array.from({ length: 28 }, (_, power) =>
    [1, 2, 5].map((n) => n * 10 ** (power - 12)),
  ).flat();
}
