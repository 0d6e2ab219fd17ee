/** Which charts a page shows, the lines in each, and where their points lie. Pure. */
import type { Telemetry } from "@/shared/api/types";

interface Line {
  subject: string;
  title: string;
  values: readonly Value[];
}

export interface Chart {
  metric: Metric;
  unit: string;
  top: number;
  /** Those with at least one value; none means that nothing was measured. */
  lines: Line[];
}

export const NODE_METRICS = ["gpu_utilisation", "gpu_memory", "power"] as const;
export const WORK_METRICS = [
  "gpu_utilisation",
  "gpu_memory",
  "cpu",
  "memory",
  "disk",
  "received",
  "sent",
] as const;
type Metric = (typeof NODE_METRICS)[number] | (typeof WORK_METRICS)[number];

/** A flat line shall not lie on the upper edge. */
const HEADROOM = 1.1;
const BINARY = new Set(["mebibytes", "bytes_per_second"]);
/** Scales that end lower would read as 0: a tenth of a core. */
const LEAST_TOP: Record<string, number> = { milli: 100 };

export function chartsOf(telemetry: Telemetry, metrics: readonly Metric[]): Chart[] {
  return metrics.map((metric) => {
    const series = telemetry.series.filter((item) => item.metric === metric);
    const unit = series[0]?.unit ?? "";
    const lines = series
      .filter(({ values }) => values.some((value) => value !== null))
      .map(({ subject, title, values }) => ({ subject, title, values }));
    const most = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
    const round = roundTop(most * HEADROOM, BINARY.has(unit) ? 2 : 10);
    const top = unit === "percent" ? 100 : Math.max(LEAST_TOP[unit] ?? 0, round);
    return { metric, unit, top, lines };
  });
}

// Points of a small chart: x and y run from 0 to 1, y upwards.

type Value = number | null;

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
      if (run.length > 1) return `M${points.join("L")}`;
      // A dash, which ends inside the box also for the last point.
      const dash = Math.max(1, step / 2);
      const begin = Math.min(start * step, width - dash);
      return `M${begin.toFixed(1)} ${y(run[0] ?? 0)} h${dash.toFixed(1)}`;
    })
    .join("");
}

/** Samples arrive a little late, so that the newest moments have none yet. */
const LATE_MAX = 4;

/** The value of now, or null when nothing is measured any more. */
export function current(values: readonly Value[]): Value {
  return values.slice(-LATE_MAX).findLast((value) => value !== null) ?? null;
}

/** The index of the point nearest to a place between 0 (left) and 1 (right). */
export function nearest(place: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.round(place * (count - 1))));
}
