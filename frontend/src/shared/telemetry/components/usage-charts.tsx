import { useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "antd";
import { type ReactNode, useId, useMemo, useState } from "react";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { NativeSelect } from "@/shared/ui/controls";
import {
  ChartLegend,
  ChartTip,
  hueOf,
  LineChart,
  type TipRow,
  useHiddenLines,
} from "@/shared/ui/line-chart";
import { type Extent, type PlotLine, rangeFromZero } from "@/shared/ui/plot";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useTelemetry } from "../api/telemetry";
import { formatMarks, formatMeasured, formatPoint, formatTimes } from "../model/amounts";
import {
  boundOf,
  chartExtent,
  chartsOf,
  current,
  highestOf,
  isLimitNear,
  isSummable,
  leastTop,
  type Metric,
  type MetricLines,
  meanOf,
  metricsOf,
  namesOf,
  type Subject,
  sumOf,
  type UsageCurves,
  type UsageLine,
} from "../model/charts";
import {
  firstRange,
  type NamedRange,
  type Range,
  type Run,
  rangesOf,
  readRange,
  writeRange,
  zoomTo,
} from "../model/ranges";
import styles from "./telemetry.module.css";
import { WorkEnergy } from "./work-energy";

interface UsageChartsProps {
  subject: Subject;
  /** When the work ran; null for what has not run, and for hardware. */
  run?: Run | null;
  /** What chooses among parts of the subject. */
  picker?: ReactNode;
}

/** What GPUs and hosts were used for, or what a workload used of its own, over a time range of the address. */
export function UsageCharts({ subject, run = null, picker }: UsageChartsProps) {
  const { range, ranges, zoom, choose, zoomOut } = useChartRange(run);
  const telemetry = useTelemetry(subject, range, run);
  const charts = (data: UsageCurves, isLoading?: boolean) => (
    <Charts
      telemetry={data}
      subject={subject}
      picker={picker}
      range={range}
      isOver={Boolean(run?.until)}
      isLoading={isLoading ?? false}
      ranges={ranges}
      onChoose={choose}
      onZoom={zoom}
      onZoomOut={zoomOut}
    />
  );
  if (telemetry.isLoadingError) return <QueryBoundary query={telemetry}>{charts}</QueryBoundary>;
  // The charts keep their places from the first moment, so that nothing below them moves.
  return charts(telemetry.data ?? NOTHING, telemetry.isPending);
}

const NOTHING: UsageCurves = { step_s: 15, times: [], series: [] };

/** The range that the address names, or the first one; zooming out returns to the range before. */
function useChartRange(run: Run | null) {
  const now = new Date();
  const { range: named }: { range?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [before, setBefore] = useState<NamedRange | null>(null);
  const ranges = rangesOf(run, now);
  const range = readRange(named, ranges) ?? firstRange(run, now);
  const choose = (next: Range | null) =>
    void navigate({
      to: ".",
      search: ((old: object) => ({ ...old, range: next ? writeRange(next) : undefined })) as never,
      replace: true,
      resetScroll: false,
    });
  const zoom = (extent: Extent) => {
    if (typeof range === "string") setBefore(range);
    choose(zoomTo(extent));
  };
  const zoomOut = () => {
    if (typeof range !== "string") choose(before);
  };
  return { range, ranges, choose, zoom, zoomOut };
}

interface ChartsProps {
  telemetry: UsageCurves;
  subject: Subject;
  picker: ReactNode;
  range: Range;
  isOver: boolean;
  isLoading: boolean;
  ranges: readonly NamedRange[];
  onChoose: (range: NamedRange) => void;
  onZoom: (extent: Extent) => void;
  onZoomOut: () => void;
}

/** What the key of the sum is among the lines that are hidden. */
const SUM = "sum";

function Charts(props: ChartsProps) {
  const { telemetry, subject, picker, isLoading, ranges, onChoose, ...shown } = props;
  const { t } = useTranslation("telemetry");
  const group = useId();
  const [hidden, toggle] = useHiddenLines([SUM]);
  const { range, isOver, onZoomOut } = shown;
  const { kind } = subject;
  const charts = useMemo(() => chartsOf(telemetry, metricsOf(kind)), [telemetry, kind]);
  const names = namesOf(charts);
  const isEmpty = !isLoading && charts.every(({ lines }) => lines.length === 0);
  const nameOf = useLineName(subject);
  const legend = names.map(({ subject: key, title, place }) => ({
    key,
    colour: hueOf(place),
    name: nameOf(title),
  }));
  return (
    <>
      <div className={styles.bar}>
        {subject.id && isWork(subject) && <WorkEnergy id={subject.id} isOver={isOver} />}
        {isEmpty && <span>{t(isOver || !isWork(subject) ? "empty.over" : "empty.text")}</span>}
        {names.length > 0 && (
          <ChartLegend
            label={t("lines")}
            items={[...legend, { key: SUM, colour: SUM_COLOUR, name: t("sum") }]}
            hidden={hidden}
            onToggle={toggle}
          />
        )}
        {picker}
        <RangePicker range={range} ranges={ranges} onChoose={onChoose} onZoomOut={onZoomOut} />
      </div>
      <div className={styles.charts} aria-busy={isLoading}>
        {charts.map((chart) =>
          chart.lines.length > 0 ? (
            <UsageLineChart
              key={chart.metric}
              chart={chart}
              telemetry={telemetry}
              group={group}
              hidden={hidden}
              nameOf={nameOf}
              {...shown}
            />
          ) : (
            <NoChart key={chart.metric} metric={chart.metric} isLoading={isLoading} />
          ),
        )}
      </div>
    </>
  );
}

function isWork({ kind }: Subject): boolean {
  return kind === "workload";
}

type PickerProps = Pick<ChartsProps, "range" | "ranges" | "onChoose" | "onZoomOut">;

function RangePicker({ range, ranges, onChoose, onZoomOut }: PickerProps) {
  const { t } = useTranslation("telemetry");
  const isZoomed = typeof range !== "string";
  return (
    <span className={styles.picker}>
      {isZoomed && (
        <Button size="small" onClick={onZoomOut}>
          {t("zoomOut")}
        </Button>
      )}
      {ranges.length < 2 && !isZoomed ? (
        t(`range.${ranges[0] ?? "run"}`)
      ) : (
        <NativeSelect<NamedRange | "zoom">
          label={t("rangeLabel")}
          value={isZoomed ? "zoom" : range}
          onChoose={(value) => value !== "zoom" && onChoose(value)}
          options={[
            ...(isZoomed ? [{ value: "zoom" as const, label: t("range.zoom") }] : []),
            ...ranges.map((value) => ({ value, label: t(`range.${value}`) })),
          ]}
        />
      )}
    </span>
  );
}

/** The place of a measure that there is nothing of. */
function NoChart({ metric, isLoading }: { metric: Metric; isLoading: boolean }) {
  const { t } = useTranslation("telemetry");
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span>{t(`metric.${metric}`)}</span>
        <span className={`num ${styles.now}`}>–</span>
      </figcaption>
      <div className={styles.none}>{!isLoading && t("notMeasured")}</div>
    </figure>
  );
}

const SUM_COLOUR = "--ant-color-text";
const LIMIT = "limit";
const LIMIT_COLOUR = "--ant-color-error";

interface UsageLineChartProps {
  chart: MetricLines;
  telemetry: UsageCurves;
  group: string;
  hidden: ReadonlySet<string>;
  nameOf: (title: string) => string;
  range: Range;
  /** Whether the work has ended: then nothing is of now. */
  isOver: boolean;
  onZoom: (extent: Extent) => void;
  onZoomOut: () => void;
}

/** One measure over time, a line for each card, rank or pool, their sum and their limit. */
function UsageLineChart(props: UsageLineChartProps) {
  const { chart, telemetry, group, hidden, nameOf, range, onZoom, onZoomOut } = props;
  const { t } = useTranslation("telemetry");
  const language = useLanguage();
  const [index, setIndex] = useState<number | null>(null);
  const words = {
    language,
    cores: (amount: string, count: number) => t("cores", { amount, count }),
  };
  const { metric, unit } = chart;
  const { times } = telemetry;
  const { shown, sum, most, bound, isBoundDrawn, lines } = useMemo(
    () => drawnOf(chart, times, hidden),
    [chart, times, hidden],
  );
  const say = (value: number | null) => (value === null ? "–" : formatMeasured(value, unit, words));
  const extent = chartExtent(telemetry, range === "run");
  const name = t(`metric.${metric}`);
  const nowOf = ({ values }: UsageLine) => current(values, 1000 * telemetry.step_s);
  const isPast = props.isOver || typeof range !== "string";
  const summary = {
    name,
    range: t(`range.${typeof range === "string" ? range : "zoom"}`),
    now: say(meanOf(shown.map(nowOf))),
    most: say(most),
  };
  const tipRows = (at: number): TipRow[] => [
    ...shown.map((line) => ({
      key: line.subject,
      colour: hueOf(line.place),
      name: chart.lines.length > 1 && nameOf(line.title),
      value: say(line.values[at] ?? null),
    })),
    ...(sum ? [{ key: SUM, colour: SUM_COLOUR, name: t("sum"), value: say(sum[at] ?? null) }] : []),
    ...(isBoundDrawn
      ? [{ key: LIMIT, colour: LIMIT_COLOUR, name: t("limitLine"), value: say(bound) }]
      : []),
  ];
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span>{name}</span>
        <Caption {...{ shown, index, isPast, nowOf, say, most }}>
          {bound !== null && (
            <Bound
              isDrawn={isBoundDrawn}
              text={t(sum || chart.lines.length === 1 ? "limit" : "limitEach", {
                amount: say(bound),
              })}
            />
          )}
        </Caption>
      </figcaption>
      <LineChart
        label={t(isPast ? "summaryOver" : "summary", summary)}
        xs={times}
        lines={lines}
        extent={extent}
        isTime
        isBinary={unit === "mebibytes" || unit === "bytes_per_second"}
        yRange={(_, top) => (unit === "percent" ? [0, 100] : rangeFromZero(top, leastTop(unit)))}
        sayX={(marks, step) => formatTimes(marks, step, language)}
        sayY={(marks, step) => formatMarks(marks, step, unit, words)}
        group={group}
        onIndex={setIndex}
        onZoom={onZoom}
        onZoomOut={onZoomOut}
        tip={(at) => (
          <ChartTip
            title={formatPoint(times[at] ?? 0, extent.to - extent.from, language)}
            rows={tipRows(at)}
          />
        )}
      />
    </figure>
  );
}

interface CaptionProps {
  shown: readonly UsageLine[];
  index: number | null;
  isPast: boolean;
  nowOf: (line: UsageLine) => number | null;
  say: (value: number | null) => string;
  most: number;
  /** What the limit is. */
  children: ReactNode;
}

/** The value under the shared cursor, else of now, else the highest. */
function Caption({ shown, index, isPast, nowOf, say, most, children }: CaptionProps) {
  const { t } = useTranslation("telemetry");
  const values = shown.map((line) => (index === null ? nowOf(line) : line.values[index]));
  const isMean = values.filter((value) => value !== null && value !== undefined).length > 1;
  return (
    <span className={styles.values}>
      {index === null && isPast ? (
        <span className="num">{t("most", { amount: say(most) })}</span>
      ) : (
        <span className={`num ${styles.now}`}>
          {isMean && "Ø "}
          {say(meanOf(values))}
        </span>
      )}
      {children}
    </span>
  );
}

/** What cannot be exceeded; with a dash like its line's where that is drawn. */
function Bound({ isDrawn, text }: { isDrawn: boolean; text: string }) {
  return (
    <span className={`num ${styles.limit}`} title={text}>
      {isDrawn && <i className={styles.dash} data-testid="limit-line" aria-hidden />}
      {text}
    </span>
  );
}

/** The lines that are not hidden, their sum where it is wanted, and the limit where it is near. */
function drawnOf(chart: MetricLines, times: readonly number[], hidden: ReadonlySet<string>) {
  const { unit, limit } = chart;
  const shown = chart.lines.filter(({ subject }) => !hidden.has(subject));
  const sum = shown.length > 1 && isSummable(unit) && !hidden.has(SUM) ? sumOf(shown) : null;
  const most = highestOf(sum ? [{ values: sum }] : shown);
  const lines: PlotLine[] = shown.map(({ subject, place, values }) => ({
    key: subject,
    values,
    colour: hueOf(place),
  }));
  if (sum) lines.push({ key: SUM, values: sum, colour: SUM_COLOUR, style: "sum" });
  const bound = boundOf(limit, sum ? shown.length : 1);
  const isBoundDrawn = isLimitNear(bound, most);
  if (isBoundDrawn) {
    const values = times.map(() => bound);
    lines.push({ key: LIMIT, values, colour: LIMIT_COLOUR, style: "limit" });
  }
  return { shown, sum, most, bound, isBoundDrawn, lines };
}

/** How a line is called where there are several, such as `Card 0`. */
function useLineName({ kind }: Subject): (title: string) => string {
  const { t } = useTranslation("telemetry");
  return (title) => (kind === "workload" ? t("rank", { title }) : t("card", { title }));
}
