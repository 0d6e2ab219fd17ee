/** How metrics become lines of a chart: smoothing, bands, and values in words. Pure. */
import type { ChartLine } from "@/shared/api/types";
import {
  alignLines,
  type Extent,
  type PlotBand,
  type PlotLine,
  type PlotValue,
} from "@/shared/ui/plot";

export type ChartAxis = "step" | "time";

/** How charts are drawn; the same for all charts of a page. */
export interface ChartView {
  axis: ChartAxis;
  /** From 0, as printed, to below 1. */
  smoothing: number;
  isLog: boolean;
}

/** The lines of a chart over one axis, and the areas between their lowest and highest values. */
export interface DrawnChart {
  xs: readonly number[];
  lines: PlotLine[];
  bands: PlotBand[];
  /** What stands beside the pointer: of each job its values as printed, and smoothed. */
  tips: { job: string; raw: readonly PlotValue[]; smooth: readonly PlotValue[] }[];
}

/** The lines of all jobs: over their steps, or over the time since the first point of each. */
export function drawChart(
  lines: readonly ChartLine[],
  view: ChartView,
  colourOf: (job: string) => string,
): DrawnChart {
  const { axis, smoothing, isLog } = view;
  const isSmoothed = smoothing > 0;
  const raised = (values: readonly (number | null)[]) =>
    isLog ? values.map((value) => (value !== null && value > 0 ? value : null)) : values;
  const shapes = lines.flatMap((line) => {
    const begin = line.times[0] ?? 0;
    const xs = axis === "step" ? line.steps : line.times.map((at) => at - begin);
    const parts = [line.highs, line.lows, line.means, smooth(line.means, smoothing)];
    return parts.map((values) => ({ xs, values: raised(values) }));
  });
  const { xs, values } = alignLines(shapes);
  const jobs = lines.map(({ job }, place) => {
    const [high = [], low = [], raw = [], smoothed = []] = values.slice(4 * place, 4 * place + 4);
    const colour = colourOf(job);
    const drawn: PlotLine[] = [
      { key: `${job} high`, values: high, colour, style: "edge" },
      { key: `${job} low`, values: low, colour, style: "edge" },
      ...(isSmoothed ? [{ key: `${job} raw`, values: raw, colour, style: "faint" as const }] : []),
      { key: job, values: smoothed, colour },
    ];
    return { drawn, colour, tip: { job, raw, smooth: smoothed } };
  });
  const each = isSmoothed ? 4 : 3;
  return {
    xs,
    lines: jobs.flatMap(({ drawn }) => drawn),
    bands: jobs.map(({ colour }, place) => ({ high: each * place, colour })),
    tips: jobs.map(({ tip }) => tip),
  };
}

/** Whether any value can be drawn. */
export function isDrawable({ lines }: Pick<DrawnChart, "lines">): boolean {
  return lines.some(({ values }) => values.some((value) => value !== null && value !== undefined));
}

/** From the first to the last step or moment; a lonely point stands at the beginning. */
export function wholeExtent(xs: readonly number[]): Extent {
  const [from, to] = [xs[0] ?? 0, xs.at(-1) ?? 0];
  return from < to ? { from, to } : { from, to: from + 1 };
}

/** Exponential moving mean whose beginning is not drawn towards zero, as TensorBoard's. */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return [...values];
  let mean = 0;
  let count = 0;
  return values.map((value) => {
    if (value === null) return null;
    count += 1;
    mean = mean * weight + value * (1 - weight);
    return mean / (1 - weight ** count);
  });
}

const SMALL = 1e-4;
const LARGE = 1e6;

/** A number of any size with four digits that count. */
export function formatMetric(value: number, language: string): string {
  const size = Math.abs(value);
  const isExtreme = size !== 0 && (size < SMALL || size >= LARGE);
  return new Intl.NumberFormat(language, {
    maximumSignificantDigits: 4,
    ...(isExtreme && { notation: "scientific" as const }),
  }).format(value);
}

const LOWER_IS_BETTER = /loss|err|perplexity|ppl|mse|mae|cer|wer|fid|time|latency/i;

/** Whether a low value of a metric is the good one, as far as its name says. */
export function isLowerBetter(name: string): boolean {
  return LOWER_IS_BETTER.test(name);
}
