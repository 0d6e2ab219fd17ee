/** Which charts a page shows, and the lines in each. Pure. */
import type { Telemetry } from "@/shared/api/types";
import { roundTop, type Value } from "./plot";

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

export function chartsOf(telemetry: Telemetry, metrics: readonly Metric[]): Chart[] {
  return metrics.map((metric) => {
    const series = telemetry.series.filter((item) => item.metric === metric);
    const unit = series[0]?.unit ?? "";
    const lines = series
      .filter(({ values }) => values.some((value) => value !== null))
      .map(({ subject, title, values }) => ({ subject, title, values }));
    const most = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
    const top = unit === "percent" ? 100 : roundTop(most * HEADROOM, BINARY.has(unit) ? 2 : 10);
    return { metric, unit, top, lines };
  });
}
