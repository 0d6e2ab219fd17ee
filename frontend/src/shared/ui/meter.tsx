import styles from "./ui.module.css";

interface MeterProps {
  label: string;
  /** The amounts in words, e.g. `4 of 6 GPUs`. */
  amount: string;
  used: number;
  mine?: number;
  /** `null` is unlimited: the bar stays empty. */
  limit: number | null;
  /** Amounts to mark on the bar, such as a guarantee; zero marks nothing. */
  marks?: readonly number[];
}

/** A bar for something that has a total; what is mine stands out. */
export function Meter({ label, amount, used, mine = 0, limit, marks = [] }: MeterProps) {
  const share = (part: number) => (limit ? `${Math.min(100, (100 * part) / limit)}%` : "0%");
  const isFull = limit !== null && used >= limit;
  return (
    <div className={styles.meter}>
      <div className={styles.meterWords}>
        <span>{label}</span>
        <span className={`num ${styles.meterAmount}`}>{amount}</span>
      </div>
      <meter
        className="visually-hidden"
        aria-label={label}
        aria-valuetext={amount}
        value={used}
        max={limit ?? Math.max(used, 1)}
      />
      <div className={styles.meterTrack} data-full={isFull || undefined} aria-hidden>
        <div className={styles.meterUsed} style={{ width: share(used) }} />
        <div className={styles.meterMine} style={{ width: share(mine) }} />
        {[...new Set(marks)]
          .filter((mark) => mark > 0 && limit !== null && mark < limit)
          .map((mark) => (
            <div key={mark} className={styles.meterMark} style={{ left: share(mark) }} />
          ))}
      </div>
    </div>
  );
}
