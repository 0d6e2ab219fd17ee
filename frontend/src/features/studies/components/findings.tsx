/** What a study found: its figures, the groups that gain or lose, and the curves. */
import { type PointerEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { StudyFindings, StudyGroup } from "@/shared/api/types";
import { formatDuration, formatNumber, formatWhen } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { linePath, nearest } from "@/shared/telemetry/model/charts";
import { DataTable } from "@/shared/ui/data-table";
import { useNow } from "@/shared/ui/time";
import { type Curve, MEASURES, type Measure, trendOf } from "../model/studies";
import styles from "./studies.module.css";

/** Every measure as it was, as simulated with today's rules, and with the change. */
export function FiguresTable({ findings }: { findings: StudyFindings }) {
  const { t } = useTranslation("studies");
  const say = useMeasureWords();
  const { was, today, changed } = findings;
  return (
    <DataTable<Measure>
      label={t("answer")}
      rows={MEASURES}
      rowKey={(measure) => measure}
      columns={[
        { key: "measure", title: t("measureTitle"), cell: (measure) => t(`measure.${measure}`) },
        {
          key: "was",
          title: t("told.was"),
          cell: (measure) => <span className="num">{say(measure, was[measure] ?? null)}</span>,
        },
        {
          key: "today",
          title: t("told.today"),
          cell: (measure) => <span className="num">{say(measure, today[measure] ?? null)}</span>,
        },
        {
          key: "changed",
          title: t("told.changed"),
          cell: (measure) => {
            const value = changed[measure] ?? null;
            const trend = trendOf(measure, today[measure] ?? null, value);
            return (
              <span className={`num ${styles.changed}`} data-trend={trend}>
                {say(measure, value)}
                {trend !== "same" && <span className={styles.trend}>{t(`trend.${trend}`)}</span>}
              </span>
            );
          },
        },
      ]}
    />
  );
}

const SHOWN = ["jobs", "mean_wait_s", "gpu_hours", "evictions"] as const satisfies Measure[];

/** The groups that gain or lose. */
export function GroupsTable({ groups }: { groups: readonly StudyGroup[] }) {
  const { t } = useTranslation("studies");
  const say = useMeasureWords();
  return (
    <DataTable<StudyGroup>
      label={t("byGroup")}
      rows={groups}
      rowKey={({ group }) => group}
      columns={[
        { key: "group", title: t("group"), cell: ({ group }) => group },
        ...SHOWN.map((measure) => ({
          key: measure,
          title: t(`measure.${measure}`),
          cell: (row: StudyGroup) => {
            const [today, changed] = [row[measure], row[`${measure}_changed`]];
            if (today === changed) return <span className="num">{say(measure, today)}</span>;
            return (
              <span
                className={`num ${styles.changed}`}
                data-trend={trendOf(measure, today, changed)}
              >
                {t("fromTo", { from: say(measure, today), to: say(measure, changed) })}
              </span>
            );
          },
        })),
      ]}
    />
  );
}

const WIDTH = 600;
const HEIGHT = 120;
const TOLD = ["today", "changed"] as const;

/** One measure over the simulated time, a line for each simulation; hovering shows the values. */
export function CurveChart({ curve }: { curve: Curve }) {
  const { t } = useTranslation("studies");
  const language = useLanguage();
  const now = useNow();
  const [index, setIndex] = useState<number | null>(null);
  const { name, top, times } = curve;
  const say = (value: number) =>
    name === "busy_permille"
      ? `${formatNumber(value / 10, language, 0)} %`
      : formatNumber(value, language, 0);
  const mean = (values: readonly number[]) =>
    say(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));
  const title = t(`curve.${name}`);
  const follow = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setIndex(nearest((clientX - left) / width, times.length));
  };
  const shown = (told: (typeof TOLD)[number]) =>
    index === null ? t("onAverage", { value: mean(curve[told]) }) : say(curve[told][index] ?? 0);
  const moment = (at: number | undefined) => formatWhen(new Date(at ?? 0), now, language);
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span>{title}</span>
        {index !== null && <span className="num">{moment(times[index])}</span>}
        {TOLD.map((told) => (
          <span key={told} className={styles.legend} data-told={told}>
            {t(`told.${told}`)} <b className="num">{shown(told)}</b>
          </span>
        ))}
      </figcaption>
      {/* Hovering adds precision only: the caption holds the means for every reader. */}
      <div
        className={styles.plot}
        role="img"
        aria-label={t("curveSummary", {
          title,
          today: mean(curve.today),
          changed: mean(curve.changed),
        })}
        onPointerMove={follow}
        onPointerLeave={() => setIndex(null)}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
          <path className={styles.grid} d={`M0 60H${WIDTH}M0 0H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
          {TOLD.map((told) => (
            <path
              key={told}
              className={styles.line}
              data-told={told}
              d={linePath(curve[told], top, WIDTH, HEIGHT)}
            />
          ))}
        </svg>
        <span className={`num ${styles.top}`} aria-hidden>
          {say(top)}
        </span>
      </div>
      <div className={`num ${styles.axis}`} aria-hidden>
        <span>{moment(times[0])}</span>
        <span>{moment(times.at(-1))}</span>
      </div>
    </figure>
  );
}

/** A figure in its unit; a dash for what is not known. */
function useMeasureWords(): (measure: Measure, value: number | null) => string {
  const language = useLanguage();
  return (measure, value) => {
    if (value === null) return "–";
    if (measure.endsWith("_s")) return formatDuration(value, language);
    if (measure === "utilisation_permille") return `${formatNumber(value / 10, language)} %`;
    return formatNumber(value, language, 0);
  };
}
