import { Radio } from "antd";
import { type PointerEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Telemetry } from "@/shared/api/types";
import {
  formatBytes,
  formatClock,
  formatMemory,
  formatMilli,
  formatNumber,
  formatWhen,
} from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { QueryBoundary } from "@/shared/ui/query-states";
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
import { firstRange, type Range, type Run, rangesOf } from "../model/ranges";
import styles from "./telemetry.module.css";

interface UsageChartsProps {
  subject: Subject;
  /** When the work ran; null for what has not run, and for a node. */
  run?: Run | null;
}

/** What a node's cards were used for, or what a workload used of its own, over a time range. */
export function UsageCharts({ subject, run = null }: UsageChartsProps) {
  const [chosen, setChosen] = useState<Range | null>(null);
  const ranges = rangesOf(run);
  const range = chosen && ranges.includes(chosen) ? chosen : firstRange(run, new Date());
  const telemetry = useTelemetry(subject, range, run);
  const charts = (data: Telemetry, isLoading?: boolean) => (
    <Charts
      telemetry={data}
      isNode={subject.kind === "node"}
      range={range}
      isOver={Boolean(run?.until)}
      isLoading={isLoading ?? false}
      picker={<RangePicker ranges={ranges} range={range} onChoose={setChosen} />}
    />
  );
  if (telemetry.isLoadingError) return <QueryBoundary query={telemetry}>{charts}</QueryBoundary>;
  // The charts keep their places from the first moment, so that nothing below them moves.
  return charts(telemetry.data ?? NOTHING, telemetry.isPending);
}

const NOTHING: Telemetry = { step_s: 15, times: [], series: [] };

interface RangePickerProps {
  ranges: readonly Range[];
  range: Range;
  onChoose: (range: Range) => void;
}

function RangePicker({ ranges, range, onChoose }: RangePickerProps) {
  const { t } = useTranslation("telemetry");
  if (ranges.length < 2) return <span>{t(`range.${range}`)}</span>;
  return (
    <Radio.Group
      size="small"
      optionType="button"
      aria-label={t("rangeLabel")}
      value={range}
      onChange={({ target }) => onChoose(target.value as Range)}
      options={ranges.map((value) => ({ value, label: t(`range.${value}`) }))}
    />
  );
}

interface ChartsProps {
  telemetry: Telemetry;
  isNode: boolean;
  range: Range;
  isOver: boolean;
  isLoading: boolean;
  picker: ReactNode;
}

function Charts({ telemetry, isLoading, picker, ...shown }: ChartsProps) {
  const { t } = useTranslation("telemetry");
  const charts = chartsOf(telemetry, shown.isNode ? NODE_METRICS : WORK_METRICS);
  const isEmpty = !isLoading && charts.every(({ lines }) => lines.length === 0);
  return (
    <>
      <div className={styles.range}>
        <span>{isEmpty && t(shown.isOver ? "empty.over" : "empty.text")}</span>
        {picker}
      </div>
      <div className={styles.charts} aria-busy={isLoading}>
        {charts.map((chart) =>
          chart.lines.length > 0 ? (
            <LineChart key={chart.metric} chart={chart} times={telemetry.times} {...shown} />
          ) : (
            <NoChart key={chart.metric} metric={chart.metric} isLoading={isLoading} />
          ),
        )}
      </div>
    </>
  );
}

/** The place of a measure that there is nothing of. */
function NoChart({ metric, isLoading }: { metric: Chart["metric"]; isLoading: boolean }) {
  const { t } = useTranslation("telemetry");
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span>{t(`metric.${metric}`)}</span>
        <span className={`num ${styles.now}`}>–</span>
      </figcaption>
      <span className={styles.top} />
      <div className={`${styles.plot} ${styles.none}`}>{!isLoading && t("notMeasured")}</div>
      <div className={styles.axis} />
    </figure>
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
  range: Range;
  /** Whether the work has ended: then nothing is of now. */
  isOver: boolean;
}

/** One measure over time, a line for each card or rank; hovering shows the values. */
function LineChart({ chart, times, isNode, range, isOver }: LineChartProps) {
  const { t } = useTranslation("telemetry");
  const [index, setIndex] = useState<number | null>(null);
  const say = useAmount();
  const { metric, unit, top, lines } = chart;
  const name = t(`metric.${metric}`);
  const nameOf = (title: string) => t(isNode ? "card" : "rank", { title });
  const present = lines.flatMap(({ values }) => current(values) ?? []);
  // The mean of the lines, because the scale is one line's: a sum would not fit below its top.
  const now = present.length === 0 ? "–" : say(sum(present) / present.length, unit);
  const sign = present.length < 2 ? "" : "\u00d8 ";
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
        {isOver ? (
          <span className="num">{t("most", { amount: say(most, unit) })}</span>
        ) : (
          <span className={`num ${styles.now}`}>{sign + now}</span>
        )}
      </figcaption>
      <span className={`num ${styles.top}`} aria-hidden>
        {lines.length === 1 ? scale : t(isNode ? "perCard" : "perRank", { amount: scale })}
      </span>
      {/* Hovering adds precision only: caption and label hold the same for every reader. */}
      <div
        className={styles.plot}
        onPointerMove={follow}
        onPointerLeave={() => setIndex(null)}
        role="img"
        aria-label={t(isOver ? "summaryOver" : "summary", {
          name,
          range: t(`range.${range}`),
          now,
          most: say(most, unit),
        })}
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
        {index !== null && (
          <Values chart={chart} times={times} index={index} nameOf={nameOf} say={say} />
        )}
      </div>
      <TimeAxis times={times} />
    </figure>
  );
}

interface ValuesProps extends Pick<LineChartProps, "chart" | "times"> {
  index: number;
  /** How a line is called where there are several, such as `Card 0`. */
  nameOf: (title: string) => string;
  say: (value: number, unit: string) => string;
}

/** What every line was at one moment, beside a mark of the moment. */
function Values({ chart, times, index, nameOf, say }: ValuesProps) {
  const language = useLanguage();
  const place = index / Math.max(1, times.length - 1);
  const known = chart.lines.flatMap(({ values }) => values[index] ?? []);
  const isSummed = known.length > 1 && chart.unit !== "percent";
  return (
    <div
      className={styles.mark}
      style={{ left: `${100 * place}%` }}
      data-side={place > 0.5 ? "left" : "right"}
      aria-hidden
    >
      <div className={`num ${styles.values}`}>
        <div className={styles.moment}>{momentOf(times, times[index], language)}</div>
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
        {isSummed && (
          <div className={styles.value}>
            <span>{"\u03a3"}</span>
            <b>{say(sum(known), chart.unit)}</b>
          </div>
        )}
      </div>
    </div>
  );
}

const DAY_MS = 86_400_000;

/** Clock time, with its day where the chart covers more than one. */
function momentOf(times: readonly number[], moment: number | undefined, language: string): string {
  if (moment === undefined) return "";
  const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > DAY_MS / 2;
  const at = new Date(moment);
  return isLong ? formatWhen(at, new Date(), language) : formatClock(at, language);
}

function TimeAxis({ times }: { times: readonly number[] }) {
  const language = useLanguage();
  const ends = [times[0], times[Math.floor(times.length / 2)], times.at(-1)];
  return (
    <div className={`num ${styles.axis}`} aria-hidden>
      {ends.map((moment, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: three fixed places
        <span key={position}>{momentOf(times, moment, language)}</span>
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
