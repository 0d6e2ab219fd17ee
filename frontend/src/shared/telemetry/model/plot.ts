/** Where the points of a small chart lie. Pure: x and y run from 0 to 1, y upwards. */

export type Value = number | null;

/** A round number at or above `most`, so that the top of the scale reads well. */
export function roundTop(most: number, base = 10): number {
  if (most <= 0) return 1;
  const power = base ** Math.floor(Math.log(most) / Math.log(base) + 1e-9);
  const steps = base === 2 ? [1, 1.5, 2] : [1, 1.5, 2, 3, 5, 7.5, 10];
  return power * (steps.find((step) => step * power >= most - 1e-9) ?? base);
}

/** The runs of neighbouring known values, each as its first index and its values. */
export function runsOf(values: readonly Value[]): { start: number; values: number[] }[] {
  const runs: { start: number; values: number[] }[] = [];
  let open: { start: number; values: number[] } | null = null;
  values.forEach((value, index) => {
    if (value === null) {
      open = null;
    } else if (open) {
      open.values.push(value);
    } else {
      open = { start: index, values: [value] };
      runs.push(open);
    }
  });
  return runs;
}

/** The SVG path of a line in a box of `width` × `height`; a gap stays a gap, one value is a dash. */
export function linePath(
  values: readonly Value[],
  top: number,
  width: number,
  height: number,
): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const y = (value: number) => (height * (1 - Math.min(1, value / top))).toFixed(1);
  return runsOf(values)
    .map(({ start, values: run }) => {
      const points = run.map(
        (value, offset) => `${((start + offset) * step).toFixed(1)} ${y(value)}`,
      );
      const dash = run.length === 1 ? ` h${Math.max(1, step / 2).toFixed(1)}` : "";
      return `M${points.join("L")}${dash}`;
    })
    .join("");
}

/** The newest known value, or null. */
export function newest(values: readonly Value[]): Value {
  return values.findLast((value) => value !== null) ?? null;
}

/** The index of the point nearest to a place between 0 (left) and 1 (right). */
export function nearest(place: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.round(place * (count - 1))));
}
