/** The canvas of a line chart, by uPlot. Loaded when the first chart is shown. */
import { useEffect, useLayoutEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { clockStyle, wallTime } from "@/shared/i18n/clock";
import { useLanguage } from "@/shared/i18n/language";
import { useIsDark } from "@/shared/theme/preference";
import { type Extent, lonelyPoints, marksOf, type PlotBand, type PlotLine } from "./plot";

/** Where the pointer is: the nearest point, and its place within the chart in pixels. */
export interface PlotSpot {
  index: number;
  left: number;
}

export interface LinePlotProps {
  xs: readonly number[];
  lines: readonly PlotLine[];
  bands?: readonly PlotBand[];
  /** What the lower axis shows. */
  extent: Extent;
  /** Whether the lower axis is of moments, in milliseconds. */
  isTime?: boolean;
  isLog?: boolean;
  isBinary?: boolean;
  /** The ends of the left axis for the lowest and the highest value that are drawn. */
  yRange: (least: number, most: number) => [number, number];
  /** What stands at the marks of an axis, which are `step` apart. */
  sayX: (marks: readonly number[], step: number) => string[];
  sayY: (marks: readonly number[], step: number) => string[];
  /** Charts of one group share their cursor. */
  group: string;
  onSpot: (spot: PlotSpot | null) => void;
  onZoom: (extent: Extent) => void;
  onZoomOut: () => void;
}

/** Built again when it is to look differently; otherwise it only gets new points. */
export function LinePlot(props: LinePlotProps) {
  const { lines, bands, isTime, isLog, isBinary, group } = props;
  const looks = lines.map(({ key, colour, style }) => [key, colour, style]);
  const shape = [looks, bands, isTime, isLog, isBinary, group, useIsDark(), useLanguage()];
  return <PlotCanvas key={JSON.stringify(shape)} {...props} />;
}

function PlotCanvas(props: LinePlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const made = new uPlot(optionsOf(latest, element), pointsOf(latest.current), element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize(sizeOf(element)));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, []);
  const { xs, lines, extent } = props;
  const { from, to } = extent;
  useEffect(() => {
    // Reads the extent again as well.
    if (from < to) plot.current?.setData(pointsOf({ xs, lines }));
  }, [xs, lines, from, to]);
  return <div ref={host} style={{ height: "100%" }} />;
}

function pointsOf({ xs, lines }: Pick<LinePlotProps, "xs" | "lines">): uPlot.AlignedData {
  return [xs, ...lines.map(({ values }) => values)] as uPlot.AlignedData;
}

function sizeOf({ clientWidth, clientHeight }: HTMLElement) {
  return { width: Math.max(1, clientWidth), height: Math.max(1, clientHeight) };
}

type Latest = Readonly<{ current: LinePlotProps }>;

function optionsOf(latest: Latest, element: HTMLElement): uPlot.Options {
  const { isTime = false, isLog = false, lines, bands = [] } = latest.current;
  const style = getComputedStyle(element);
  const colourOf = (name: string) => style.getPropertyValue(name).trim() || "#808080";
  return {
    ...sizeOf(element),
    ms: 1,
    ...(clockStyle().timeZone && { tzDate: (at: number) => new Date(wallTime(new Date(at))) }),
    padding: [8, 14, 0, 0],
    legend: { show: false },
    cursor: cursorOf(latest),
    scales: {
      x: { time: isTime, range: () => [latest.current.extent.from, latest.current.extent.to] },
      y: isLog
        ? { distr: 3, log: 10 }
        : { range: (_, least, most) => latest.current.yRange(least ?? 0, most ?? 0) },
    },
    axes: axesOf(latest, style.fontFamily, colourOf),
    series: [{}, ...lines.map((line) => seriesOf(line, colourOf))],
    bands: bands.map(({ high, colour }) => ({
      series: [high + 1, high + 2],
      fill: faded(colourOf(colour), 0.15),
    })),
    hooks: {
      setCursor: [({ cursor, bbox }) => latest.current.onSpot(spotOf(cursor, bbox))],
      setSelect: [(plot) => zoom(plot, latest)],
    },
  };
}

function seriesOf({ colour, style }: PlotLine, colourOf: (name: string) => string): uPlot.Series {
  const stroke = style === "faint" ? faded(colourOf(colour), 0.3) : colourOf(colour);
  const isEdge = style === "edge";
  return {
    stroke,
    width: isEdge ? 0 : style === "limit" ? 1 : 1.6,
    ...(style === "limit" && { dash: [5, 4] }),
    ...(style === "sum" && { dash: [8, 3, 2, 3] }),
    points: {
      show: !isEdge,
      size: 4,
      fill: stroke,
      filter: (plot, index) => lonelyPoints((plot.data[index] ?? []) as readonly (number | null)[]),
    },
  };
}

function axesOf(
  latest: Latest,
  font: string,
  colourOf: (name: string) => string,
): [uPlot.Axis, uPlot.Axis] {
  const { isBinary = false, isLog = false } = latest.current;
  const grid = { stroke: colourOf("--ant-color-border-secondary"), width: 1 };
  const common = {
    stroke: colourOf("--ant-color-text-tertiary"),
    font: `11px ${font || "sans-serif"}`,
    ticks: { show: false },
  };
  return [
    {
      ...common,
      grid: { show: false },
      size: 26,
      gap: 8,
      space: 56,
      values: (_, marks, __, ___, step) => latest.current.sayX(marks, step),
    },
    {
      ...common,
      grid,
      gap: 4,
      space: 28,
      ...(isLog ? {} : { incrs: marksOf(isBinary) }),
      size: (_, words) => 12 + 6.4 * Math.max(0, ...(words ?? []).map((word) => widthOf(word))),
      values: (_, marks, __, ___, step) =>
        isLog ? marks.map((mark) => labelOf(latest, mark)) : latest.current.sayY(marks, step),
    },
  ];
}

/** On a scale of logarithms only the powers of ten have words, or the words would overlap. */
function labelOf(latest: Latest, mark: number): string {
  const power = Math.log10(mark);
  const isPower = Math.abs(power - Math.round(power)) < 1e-9;
  return isPower ? (latest.current.sayY([mark], mark)[0] ?? "") : "";
}

/** Chinese characters are twice as wide. */
function widthOf(word: string | null): number {
  return [...(word ?? "")].reduce((sum, letter) => sum + (letter > "\u2e80" ? 1.8 : 1), 0);
}

function cursorOf(latest: Latest): uPlot.Cursor {
  const { group } = latest.current;
  return {
    y: false,
    points: { size: 6 },
    drag: { x: true, y: false, setScale: false },
    sync: { key: group, filters: { pub: (type) => type === "mousemove" } },
    bind: {
      dblclick: () => () => {
        latest.current.onZoomOut();
        return null;
      },
    },
  };
}

function spotOf({ idx, left = -1 }: uPlot.Cursor, { left: begin }: uPlot.BBox): PlotSpot | null {
  if (idx === null || idx === undefined || left < 0) return null;
  return { index: idx, left: left + begin / (window.devicePixelRatio || 1) };
}

/** In pixels; a shorter drag is a click. */
const DRAG_MIN = 6;

function zoom(plot: uPlot, latest: Latest): void {
  const { left, width } = plot.select;
  if (width < DRAG_MIN) return;
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  latest.current.onZoom({ from: plot.posToVal(left, "x"), to: plot.posToVal(left + width, "x") });
}

/** A colour of the theme, `#rrggbb`, that lets through what is behind it. */
function faded(colour: string, opacity: number): string {
  const byte = Math.round(255 * opacity);
  return /^#[0-9a-f]{6}$/i.test(colour) ? `${colour}${byte.toString(16).padStart(2, "0")}` : colour;
}
