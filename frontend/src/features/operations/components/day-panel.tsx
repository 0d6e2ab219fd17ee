/** The last 24 hours: GPUs held and used, and what waited on top, against what there is. */
import type { DayCurves } from "@/shared/api/types";
import { formatGpus, formatWhen } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useDay } from "../api/operations";
import { areasOf, ticksOf } from "../model/day";
import styles from "./operations.module.css";

const KEYS = ["held", "used", "waiting"] as const;
/** Thousandths of a GPU. */
const EIGHTH = 125;

/** `gpus` is how many there are; null where the reader does not see the whole cluster. */
export function DayPanel({ gpus }: { gpus: number | null }) {
  const { t } = useTranslation("operations");
  return (
    <Panel title={t("day.title")} extra={<span className="second">{t("day.about")}</span>}>
      <QueryBoundary query={useDay()} rows={4}>
        {(day) => <DayCurve day={day} gpus={gpus} />}
      </QueryBoundary>
    </Panel>
  );
}

function DayCurve({ day, gpus }: { day: DayCurves; gpus: number | null }) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const { most, capacity, areas } = areasOf(day, gpus);
  const last = (values: readonly (number | null)[]) => {
    const value = values.at(-1) ?? null;
    // A mean of measurements: to an eighth, as GPUs are cut.
    return value === null ? "–" : formatGpus(Math.round(value / EIGHTH) * EIGHTH, language);
  };
  const amounts = {
    held: last(day.held_milli),
    used: last(day.used_milli),
    waiting: last(day.waiting_milli),
  };
  const now = new Date(day.times.at(-1) ?? 0);
  return (
    <>
      <div
        className={styles.day}
        role="img"
        aria-label={t("day.label", { ...amounts, total: gpus ?? "–" })}
      >
        <span className={`num ${styles.dayMost}`}>{formatGpus(most, language)}</span>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden>
          {KEYS.map((key) => (
            <polygon key={key} data-curve={key} points={areas[key]} />
          ))}
          {capacity !== null && (
            <line data-curve="capacity" x1={0} x2={100} y1={capacity} y2={capacity} />
          )}
        </svg>
      </div>
      <div className={`num ${styles.dayTicks}`} aria-hidden>
        {ticksOf(day).map((at) => (
          <span key={at}>{formatWhen(new Date(at), now, language)}</span>
        ))}
      </div>
      <ul className={styles.dayLegend}>
        {KEYS.map((key) => (
          <li key={key}>
            <span data-curve={key} aria-hidden />
            {t(`day.${key}`)} <span className="num">{amounts[key]}</span>
          </li>
        ))}
        {gpus !== null && (
          <li>
            <span data-curve="capacity" aria-hidden />
            {t("day.capacity")}
          </li>
        )}
      </ul>
    </>
  );
}
