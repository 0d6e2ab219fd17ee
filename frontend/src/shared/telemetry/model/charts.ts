/** Which charts a page shows, the lines in each, their sum and their limit. Pure. */
import type { Telemetry } from "@/shared/api/types";
import { type Extent, joinHoles, type PlotValue } from "@/shared/ui/plot";

/** What a reader can go down to: pools of the cluster, cards of a node. */
export type ChartPart = { kind: "pool" | "card"; id: string };

/** What is charted. */
export type Subject =
  | ChartPart
  | { kind: "node"; id: string }
  | { kind: "workload"; id: string; firstRank?: number }
  | { kind: "cluster"; id?: never };

/** Ranks of a workload in one answer, as the server gives them. */
export const RANKS_MAX = 8;

/** The first of each so many ranks. */
export function firstRanks(replicas: number): number[] {
  return Array.from({ length: Math.ceil(replicas / RANKS_MAX) }, (_, n) => n * RANKS_MAX);
}

/** What of an answer is drawn. */
export type UsageCurves = Pick<Telemetry, "step_s" | "times" | "series">;

export interface UsageLine {
  subject: string;
  title: string;
  /** Its place among all lines of the page, which is its colour. */
  place: number;
  values: readonly PlotValue[];
}

export interface MetricLines {
  metric: Metric;
  unit: string;
  /** Those with at least one value; none means that nothing was measured. */
  lines: UsageLine[];
  /** What one line cannot exceed, where it is known and the same for all. */
  limit: number | null;
}

const CARD_METRICS = ["gpu_utilisation", "gpu_memory", "power", "temperature"] as const;
const WORK_METRICS = [
  "gpu_utilisation",
  "gpu_memory",
  "cpu",
  "memory",
  "disk",
  "received",
  "sent",
] as const;
/** What a node uses: its GPUs, then the host with all that runs on it. */
const NODE_METRICS = [
  ...CARD_METRICS,
  "cpu",
  "memory",
  "disk",
  "disk_read",
  "disk_write",
  "received",
  "sent",
] as const;
export type Metric = (typeof NODE_METRICS)[number] | (typeof WORK_METRICS)[number];

export function metricsOf(kind: Subject["kind"]): readonly Metric[] {
  if (kind === "workload") return WORK_METRICS;
  return kind === "node" ? NODE_METRICS : CARD_METRICS;
}

export function chartsOf(telemetry: UsageCurves, metrics: readonly Metric[]): MetricLines[] {
  const places = new Map(
    [...new Set(telemetry.series.map(({ subject }) => subject))].map((key, place) => [key, place]),
  );
  return metrics.map((metric) => {
    const series = telemetry.series.filter((item) => item.metric === metric);
    const measured = series.filter(({ values }) => values.some((value) => value !== null));
    const limits = new Set(measured.map(({ limit }) => limit));
    const lines = measured.map(({ subject, title, values }) => ({
      subject,
      title,
      place: places.get(subject) ?? 0,
      values: joinHoles(values, 1000 * telemetry.step_s),
    }));
    const [limit = null] = limits.size === 1 ? limits : [];
    return { metric, unit: series[0]?.unit ?? "", lines, limit };
  });
}

/** The lines of a page that share a chart, once each, as its legend names them. */
export function namesOf(charts: readonly MetricLines[]): Omit<UsageLine, "values">[] {
  const shared = charts.filter(({ lines }) => lines.length > 1);
  const lines = new Map(shared.flatMap(({ lines }) => lines.map((line) => [line.subject, line])));
  return [...lines.values()].sort((one, other) => one.place - other.place);
}

/** Whether a sum of lines says something: of percentages and temperatures it does not. */
export function isSummable(unit: string): boolean {
  return unit !== "percent" && unit !== "celsius";
}

/** The sum of what is drawn; a moment of which nothing is known is a gap. */
export function sumOf(lines: readonly Pick<UsageLine, "values">[]): PlotValue[] {
  return (lines[0]?.values ?? []).map((_, index) => {
    const values = lines.map(({ values }) => values[index]);
    const known = values.filter((value) => value !== null && value !== undefined);
    if (known.length > 0) return known.reduce((sum, value) => sum + value, 0);
    return values.includes(undefined) ? undefined : null;
  });
}

export function highestOf(lines: readonly Pick<UsageLine, "values">[]): number {
  return lines.reduce(
    (most, { values }) => values.reduce<number>((top, value) => Math.max(top, value ?? 0), most),
    0,
  );
}

/** Scales that end lower would read as 0: a tenth of a core. */
const LEAST_TOP: Record<string, number> = { percent: 100, celsius: 50, milli: 100, watts: 10 };

export function leastTop(unit: string): number {
  return LEAST_TOP[unit] ?? 1;
}

/** Use is near its limit from half of it on; a line further above would press the others to the ground. */
const LIMIT_FAR = 2;

export function isLimitNear(limit: number | null, most: number): limit is number {
  return limit !== null && limit > 0 && limit <= LIMIT_FAR * most;
}

/** What the highest line that is drawn cannot exceed: a sum no more than its parts together. */
export function boundOf(limit: number | null, parts: number): number | null {
  return limit === null ? null : limit * parts;
}

/** Samples arrive a little late, so that the newest moments have none yet. */
const LATE_MAX = 4;
const LATE_MS = 30_000;

/** The value of now, or null when nothing is measured any more. */
export function current(values: readonly PlotValue[], stepMs: number): number | null {
  const late = Math.max(LATE_MAX, Math.ceil(LATE_MS / stepMs));
  return values.slice(-late).findLast((value) => value !== null && value !== undefined) ?? null;
}

/** The mean of what is known of some lines; the scale is one line's, so that a sum would not fit. */
export function meanOf(values: readonly (PlotValue | null)[]): number | null {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** What the lower axis shows: of a run only what was measured, so that a short one fills its width. */
export function chartExtent(telemetry: UsageCurves, isRun: boolean): Extent {
  const { times, series, step_s } = telemetry;
  const isKnown = (_: number, index: number) => series.some(({ values }) => values[index] != null);
  const shown = isRun && times.some(isKnown) ? trimmed(times, isKnown) : times;
  const [from, to] = [shown[0] ?? 0, shown.at(-1) ?? 0];
  return from < to ? { from, to } : { from, to: from + 1000 * step_s };
}

function trimmed(times: readonly number[], isKnown: (time: number, index: number) => boolean) {
  return times.slice(times.findIndex(isKnown), times.findLastIndex(isKnown) + 1);
}
