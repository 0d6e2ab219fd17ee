import { useMemo } from "react";
import type { ChartLine, JobMetric } from "@/shared/api/types";
import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { CodeBlock } from "@/shared/ui/code-block";
import { ChartTip, hueOf, LineChart } from "@/shared/ui/line-chart";
import { type Extent, nearestIndex, roomyRange } from "@/shared/ui/plot";
import { EmptyState } from "@/shared/ui/query-states";
import {
  type ChartView,
  type DrawnChart,
  drawChart,
  formatMetric,
  isDrawable,
  wholeExtent,
} from "../model/lines";
import styles from "./metrics.module.css";

interface MetricChartProps {
  name: string;
  /** What the job of the page has printed; missing while only others have. */
  metric: JobMetric | undefined;
  lines: readonly ChartLine[];
  view: ChartView;
  /** What a job is called, and its place among the jobs, which is its hue. */
  jobs: ReadonlyMap<string, { title: string; place: number }>;
  /** Charts of one group share their cursor and the part that is shown. */
  group: string;
  zoomed: Extent | null;
  onZoom: (extent: Extent | null) => void;
}

/** One metric over steps or time, a line for each job; pointing shows the values. */
export function MetricChart({ name, metric, lines, view, jobs, ...shared }: MetricChartProps) {
  const { t } = useTranslation("metrics");
  const language = useLanguage();
  const chart = useMemo(
    () => drawChart(lines, view, (job) => hueOf(jobs.get(job)?.place ?? 0)),
    [lines, view, jobs],
  );
  const now = metric ? valueInWords(metric, (value) => formatMetric(value, language)) : "–";
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span className={styles.name} title={name}>
          {name}
        </span>
        <span className={`num ${styles.now}`}>{now}</span>
      </figcaption>
      {isDrawable(chart) ? (
        <Curves
          chart={chart}
          label={t("summary", { name, now, count: lines.length })}
          view={view}
          jobs={jobs}
          {...shared}
        />
      ) : (
        <div
          className={styles.none}
          role="img"
          aria-label={t("summary", { name, now, count: lines.length })}
        >
          {t(view.isLog ? "nothingPositive" : "nothingFinite")}
        </div>
      )}
      {metric && metric.not_finite > 0 && (
        <span className={styles.warning}>
          {t("notFinite", {
            count: metric.not_finite,
            step: formatNumber(metric.not_finite_step ?? 0, language, 0),
          })}
        </span>
      )}
    </figure>
  );
}

interface CurvesProps
  extends Pick<MetricChartProps, "view" | "jobs" | "group" | "zoomed" | "onZoom"> {
  chart: DrawnChart;
  label: string;
}

const HEIGHT = 190;

/** What was printed stays visible behind its smoothed line. */
function Curves({ chart, label, view, jobs, group, zoomed, onZoom }: CurvesProps) {
  const language = useLanguage();
  const where = useWhere(view);
  const say = (value: number) => formatMetric(value, language);
  const rowsAt = (at: number) =>
    chart.tips.map((tip) => ({
      key: tip.job,
      colour: hueOf(jobs.get(tip.job)?.place ?? 0),
      name: jobs.size > 1 && jobs.get(tip.job)?.title,
      value: tipWords(tip, at, view, say),
    }));
  return (
    <LineChart
      label={label}
      height={HEIGHT}
      xs={chart.xs}
      lines={chart.lines}
      bands={chart.bands}
      extent={zoomed ?? wholeExtent(chart.xs)}
      isLog={view.isLog}
      yRange={roomyRange}
      sayX={(marks) => marks.map(where)}
      sayY={(marks) => marks.map(say)}
      group={group}
      onZoom={onZoom}
      onZoomOut={() => onZoom(null)}
      tip={(at) => <ChartTip title={where(chart.xs[at] ?? 0)} rows={rowsAt(at)} />}
    />
  );
}

/** The value next to a point, and in brackets the smoothed one. */
function tipWords(
  { raw, smooth }: DrawnChart["tips"][number],
  at: number,
  { smoothing }: ChartView,
  say: (value: number) => string,
): string {
  const index = nearestIndex(raw, at);
  const [value, smoothed] = index === null ? [] : [raw[index] ?? null, smooth[index] ?? null];
  if (value === undefined || value === null) return "–";
  return smoothing > 0 && smoothed != null ? `${say(value)} (${say(smoothed)})` : say(value);
}

/** How a place on the lower axis is said: a step, or the time since the first point. */
function useWhere({ axis }: ChartView): (x: number) => string {
  const { t } = useTranslation("metrics");
  const language = useLanguage();
  if (axis === "time") return (x) => formatDuration(Math.round(x / 1000), language);
  return (x) => (Number.isInteger(x) ? t("step", { step: formatNumber(x, language, 0) }) : "");
}

const WORDS = { nan: "NaN", inf: "∞", "-inf": "−∞" } as const;

/** The last value of a metric, also when it is no number. */
function valueInWords(
  { last_value, last_word }: JobMetric,
  say: (value: number) => string,
): string {
  if (last_value !== null) return say(last_value);
  return last_word ? WORDS[last_word] : "–";
}

const LINE = 'print(f"@metrics step={step} loss={loss:.4f}", flush=True)';

/** Nothing was printed: the one line that a program needs, ready to copy. */
export function NoMetrics() {
  const { t } = useTranslation("metrics");
  return (
    <>
      <EmptyState title={t("empty.title")} text={t("empty.text")} />
      <div className={styles.code}>
        <CodeBlock label={t("empty.line")} text={LINE} />
      </div>
    </>
  );
}
