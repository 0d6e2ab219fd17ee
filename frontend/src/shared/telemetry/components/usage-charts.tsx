import { type PointerEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Telemetry } from "@/shared/api/types";
import {
  formatBytes,
  formatClock,
  formatMemory,
  formatMilli,
  formatNumber,
} from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { type Subject, useTelemetry } from "../api/telemetry";
import {
  type Chart,
  chartsOf,
  current,
  linePath,
  NODE_METRICS,
  nearest,
  WORK_METRICS,
} from "../model/charts";
import styles from "./telemetry.module.css";

/** The last hour of a node's cards, or of what a workload used of its own. */
export function UsageCharts({ subject }: { subject: Subject }) {
  const telemetry = useTelemetry(subject);
  return (
    <QueryBoundary query={telemetry}>
      {(data) => <Charts telemetry={data} isNode={subject.kind === "node"} />}
    </QueryBoundary>
  );
}

function Charts({ telemetry, isNode }: { telemetry: Telemetry; isNode: boolean }) {
  const { t } = useTranslation("telemetry");
  const charts = chartsOf(telemetry, isNode ? NODE_METRICS : WORK_METRICS);
  if (charts.every(({ lines }) => lines.length === 0)) {
    return <EmptyState title={t("empty.title")} text={t("empty.text")} />;
  }
  const unknown = charts.filter(({ lines }) => lines.length === 0);
  return (
    <>
      <div className={styles.charts}>
        {charts
          .filter(({ lines }) => lines.length > 0)
          .map((chart) => (
            <LineChart key={chart.metric} chart={chart} times={telemetry.times} isNode={isNode} />
          ))}
      </div>
      {unknown.length > 0 && (
        <p className={styles.unknown}>
          {t("notMeasured", {
            names: unknown.map(({ metric }) => t(`metric.${metric}`)).join(t("comma")),
          })}
        </p>
      )}
    </>
  );
}

const WIDTH = 600;
const HEIGHT = 100;
const HUES = 8;

interface LineChartProps {
  chart: Chart;
  times: readonly number[];
  /** Its lines are cards, else ranks. */
  isNode: boolean;
}

/** One measure over time, a line for each card or rank; hovering shows the values. */
function LineChart({ chart, times, isNode }: LineChartProps) {
  const { t } = useTranslation("telemetry");
  const [index, setIndex] = useState<number | null>(null);
  const say = useAmount();
  const { metric, unit, top, lines } = chart;
  const name = t(`metric.${metric}`);
  const nameOf = (title: string) => t(isNode ? "card" : "rank", { title });
  const present = lines.flatMap(({ values }) => current(values) ?? []);
  const total = unit === "percent" ? sum(present) / present.length : sum(present);
  const now = present.length === 0 ? "–" : say(total, unit);
  const sign = present.length < 2 ? "" : unit === "percent" ? "\u00d8 " : "\u03a3 ";
  const scale = say(top, unit);
  const most = Math.max(...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const follow = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setIndex(nearest((clientX - left) / width, times.length));
  };
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span>{name}</span>
        <span className={`num ${styles.now}`}>{sign + now}</span>
      </figcaption>
      {/* Hovering adds precision only: caption and label hold the same for every reader. */}
      <div
        className={styles.plot}
        onPointerMove={follow}
        onPointerLeave={() => setIndex(null)}
        role="img"
        aria-label={t("summary", { name, now, most: say(most, unit) })}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
          <path className={styles.grid} d={`M0 50H${WIDTH}M0 0H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
          {lines.map(({ subject, values }, position) => (
            <path
              key={subject}
              className={styles.line}
              data-hue={position % HUES}
              d={linePath(values, top, WIDTH, HEIGHT)}
            />
          ))}
        </svg>
        <span className={`num ${styles.top}`} aria-hidden>
          {lines.length === 1 ? scale : t(isNode ? "perCard" : "perRank", { amount: scale })}
        </span>
        {index !== null && (
          <Values chart={chart} times={times} index={index} nameOf={nameOf} say={say} />
        )}
      </div>
      <TimeAxis times={times} />
    </figure>
  );
}

interface ValuesProps extends Omit<LineChartProps, "isNode"> {
  index: number;
  /** How a line is called where there are several, such as `Card 0`. */
  nameOf: (title: string) => string;
  say: (value: number, unit: string) => string;
}

/** What every line was at one moment, beside a mark of the moment. */
function Values({ chart, times, index, nameOf, say }: ValuesProps) {
  const language = useLanguage();
  const place = index / Math.max(1, times.length - 1);
  return (
    <div
      className={styles.mark}
      style={{ left: `${100 * place}%` }}
      data-side={place > 0.5 ? "left" : "right"}
      aria-hidden
    >
      <div className={`num ${styles.values}`}>
        <div className={styles.moment}>{formatClock(new Date(times[index] ?? 0), language)}</div>
        {chart.lines.map(({ subject, title, values }, position) => {
          const value = values[index] ?? null;
          return (
            <div key={subject} className={styles.value}>
              <span className={styles.dot} data-hue={position % HUES} />
              {chart.lines.length > 1 && <span>{nameOf(title)}</span>}
              <b>{value === null ? "–" : say(value, chart.unit)}</b>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function TimeAxis({ times }: { times: readonly number[] }) {
  const language = useLanguage();
  const ends = [times[0], times[Math.floor(times.length / 2)], times.at(-1)];
  return (
    <div className={`num ${styles.axis}`} aria-hidden>
      {ends.map((moment, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: three fixed places
        <span key={position}>{moment && formatClock(new Date(moment), language)}</span>
      ))}
    </div>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Formats an amount in its unit. */
function useAmount(): (value: number, unit: string) => string {
  const { t } = useTranslation("telemetry");
  const language = useLanguage();
  return (value, unit) => {
    switch (unit) {
      case "percent":
        return `${formatNumber(value, language, 0)} %`;
      case "mebibytes":
        return formatMemory(value, language);
      case "watts":
        return `${formatNumber(value, language, 0)} W`;
      case "milli":
        return t("cores", { amount: formatMilli(Math.round(value / 10) * 10, language) });
      default:
        return `${formatBytes(Math.round(value), language)}/s`;
    }
  };
}
