/** Lines over time or steps: drag zooms, double-click goes back, all charts of a page share one cursor. */
import { type CSSProperties, type ReactNode, Suspense, useState } from "react";
import styles from "./line-chart.module.css";
import type { LinePlotProps, PlotSpot } from "./line-plot";
import { lazyWithRetry } from "./opening";

const LaterPlot = lazyWithRetry(async () => (await import("./line-plot")).LinePlot);

interface LineChartProps extends Omit<LinePlotProps, "onSpot"> {
  /** The chart in words. */
  label: string;
  /** In pixels, with the lower axis. */
  height?: number;
  /** What is shown beside the pointer at a point. */
  tip: (index: number) => ReactNode;
  /** The point under the shared cursor, wherever on the page the pointer is. */
  onIndex?: (index: number | null) => void;
}

const HEIGHT = 132;

export function LineChart({ label, height = HEIGHT, tip, onIndex, ...plot }: LineChartProps) {
  const [spot, setSpot] = useState<PlotSpot | null>(null);
  const [isPointed, setPointed] = useState(false);
  const follow = (next: PlotSpot | null) => {
    // New points report the same place again.
    setSpot((old) => (old?.index === next?.index && old?.left === next?.left ? old : next));
    onIndex?.(next?.index ?? null);
  };
  return (
    // Pointing adds precision only: caption and label hold the same for every reader.
    <div
      className={styles.plot}
      style={{ height }}
      role="img"
      aria-label={label}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
    >
      <Suspense fallback={null}>
        <LaterPlot {...plot} onSpot={follow} />
      </Suspense>
      {isPointed && spot && spot.index < plot.xs.length && (
        <div className={styles.mark} style={{ left: spot.left }} data-side={sideOf(spot, plot)}>
          <div className={`num ${styles.tip}`} aria-hidden>
            {tip(spot.index)}
          </div>
        </div>
      )}
    </div>
  );
}

/** The tip stands where there is more room. */
function sideOf({ index }: PlotSpot, { xs, extent }: Pick<LinePlotProps, "xs" | "extent">) {
  return (xs[index] ?? 0) > (extent.from + extent.to) / 2 ? "left" : "right";
}

export interface TipRow {
  key: string;
  /** Name of a CSS variable; a sum has none. */
  colour?: string;
  name: ReactNode;
  value: string;
}

export function ChartTip({ title, rows }: { title: string; rows: readonly TipRow[] }) {
  return (
    <>
      <div className={styles.title}>{title}</div>
      {rows.map(({ key, colour, name, value }) => (
        <div key={key} className={styles.row}>
          {colour && <Swatch colour={colour} />}
          <span className={styles.name}>{name}</span>
          <b>{value}</b>
        </div>
      ))}
    </>
  );
}

interface LegendItem {
  key: string;
  colour: string;
  name: string;
  /** What stands beside it, such as a link to what the line is of. */
  extra?: ReactNode;
}

interface ChartLegendProps {
  label: string;
  items: readonly LegendItem[];
  hidden: ReadonlySet<string>;
  onToggle: (key: string) => void;
}

/** A button for each line: pressed while the line is drawn. */
export function ChartLegend({ label, items, hidden, onToggle }: ChartLegendProps) {
  return (
    <fieldset className={styles.legend} aria-label={label}>
      {items.map(({ key, colour, name, extra }) => (
        <span key={key} className={styles.item}>
          <button type="button" aria-pressed={!hidden.has(key)} onClick={() => onToggle(key)}>
            <Swatch colour={colour} />
            {name}
          </button>
          {extra}
        </span>
      ))}
    </fieldset>
  );
}

/** Which lines are hidden, and a way to change that. */
export function useHiddenLines(first: readonly string[] = []) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set(first));
  const toggle = (key: string) =>
    setHidden((old) => {
      const next = new Set(old);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  return [hidden, toggle] as const;
}

function Swatch({ colour }: { colour: string }) {
  return <span className={styles.swatch} style={{ "--line": `var(${colour})` } as CSSProperties} />;
}

const HUES = 8;

/** The colour of the line at a place: the same in all charts and legends of a page. */
export function hueOf(place: number): string {
  return `--hue-${place % HUES}`;
}
