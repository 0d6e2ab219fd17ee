import styles from "./ui.module.css";

interface SparklineProps {
  /** One for each step, oldest first; null was not measured, and is a gap. */
  values: readonly (number | null)[];
  /** What fills the height; of itself, the largest value. */
  most?: number;
  /** What the curve says, for those who do not see it. */
  label: string;
}

const WIDTH = 96;
const HEIGHT = 24;

/** A small curve without axes, beside the number that it belongs to. */
export function Sparkline({ values, most, label }: SparklineProps) {
  const top = Math.max(most ?? 0, ...values.map((value) => value ?? 0), 1e-9);
  const last = Math.max(values.length - 1, 1);
  const at = (value: number, place: number) =>
    `${((WIDTH * place) / last).toFixed(1)},${(HEIGHT - 1 - ((HEIGHT - 2) * value) / top).toFixed(1)}`;
  return (
    <svg
      className={styles.sparkline}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {runsOf(values).map(({ from, run }) => (
        <g key={from}>
          <polygon
            points={[
              at(0, from),
              ...run.map((value, step) => at(value, from + step)),
              at(0, from + run.length - 1),
            ].join(" ")}
          />
          <polyline points={run.map((value, step) => at(value, from + step)).join(" ")} />
        </g>
      ))}
    </svg>
  );
}

/** The parts between gaps, each with the place of its first value. */
function runsOf(values: readonly (number | null)[]): { from: number; run: number[] }[] {
  const runs: { from: number; run: number[] }[] = [];
  values.forEach((value, place) => {
    if (value === null) return;
    const open = runs.at(-1);
    if (open && open.from + open.run.length === place) open.run.push(value);
    else runs.push({ from: place, run: [value] });
  });
  // A single value is drawn over one step: it would be nothing else.
  return runs.map(({ from, run }) => ({ from, run: run.length === 1 ? [...run, ...run] : run }));
}
