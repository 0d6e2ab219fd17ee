/** What a study found: its figures, the groups that gain or lose, and the curves. */
import { useMemo, useState } from "react";
import type { StudyFindings, StudyGroup } from "@/shared/api/types";
import { formatDuration, formatNumber, formatWhen } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { formatTimes } from "@/shared/telemetry/model/amounts";
import { DataTable } from "@/shared/ui/data-table";
import { ChartTip, LineChart } from "@/shared/ui/line-chart";
import { type Extent, rangeFromZero } from "@/shared/ui/plot";
import { useNow } from "@/shared/ui/time";
import { type Curve, MEASURES, type Measure, TOLD, trendOf } from "../model/studies";
import styles from "./studies.module.css";
import { useGroupTitle } from "./study-words";

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
  const grouped = useGroupTitle();
  return (
    <DataTable<StudyGroup>
      label={t("byGroup")}
      rows={groups}
      rowKey={({ group }) => group}
      columns={[
        { key: "group", title: t("group"), cell: ({ group }) => grouped(group) },
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

const COLOURS = ["--hue-1", "--hue-0"] as const;

interface CurveChartProps {
  curve: Curve;
  /** Charts of one group share their cursor and the part that is shown. */
  group: string;
  zoomed: Extent | null;
  onZoom: (extent: Extent | null) => void;
  /** Words for moments, where they are no dates. */
  sayTimes?: (marks: readonly number[]) => string[];
  sayMoment?: (at: number) => string;
}

/** One measure over the simulated time, a line for each simulation; pointing shows the values. */
export function CurveChart(props: CurveChartProps) {
  const { curve, group, zoomed, onZoom, sayTimes, sayMoment } = props;
  const { t } = useTranslation("studies");
  const language = useLanguage();
  const now = useNow();
  const [index, setIndex] = useState<number | null>(null);
  const { kind, name, times, values } = curve;
  const isPart = name === "busy_permille";
  const say = (value: number) =>
    isPart
      ? `${formatNumber(value / 10, language, 0)} %`
      : formatNumber(value, language, kind === "story" ? 1 : 0);
  const mean = (points: readonly number[]) =>
    say(points.reduce((sum, value) => sum + value, 0) / Math.max(1, points.length));
  const title = t(`curve.${name}`);
  const lines = useMemo(
    () =>
      ([0, 1] as const).map((place) => ({
        key: TOLD[kind][place],
        values: values[place],
        colour: COLOURS[place],
      })),
    [kind, values],
  );
  const whole = { from: times[0] ?? 0, to: Math.max(times.at(-1) ?? 0, (times[0] ?? 0) + 1) };
  const moment = (at = 0) => sayMoment?.(at) ?? formatWhen(new Date(at), now, language);
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span>{title}</span>
        {lines.map(({ key, values: points }, place) => (
          <span key={key} className={styles.legend} data-line={place}>
            {t(`told.${key}`)}{" "}
            <b className="num">
              {index === null ? t("onAverage", { value: mean(points) }) : say(points[index] ?? 0)}
            </b>
          </span>
        ))}
      </figcaption>
      <LineChart
        label={t(`curveSummary.${kind}`, {
          title,
          first: mean(values[0]),
          second: mean(values[1]),
        })}
        xs={times}
        lines={lines}
        extent={zoomed ?? whole}
        isTime
        yRange={(_, most) => rangeFromZero(most, isPart ? 1000 : 1)}
        sayX={sayTimes ?? ((marks, step) => formatTimes(marks, step, language))}
        sayY={(marks) => marks.map((mark) => (Number.isInteger(mark) ? say(mark) : ""))}
        group={group}
        onIndex={setIndex}
        onZoom={onZoom}
        onZoomOut={() => onZoom(null)}
        tip={(at) => (
          <ChartTip
            title={moment(times[at])}
            rows={lines.map(({ key, colour, values: points }) => ({
              key,
              colour,
              name: t(`told.${key}`),
              value: say(points[at] ?? 0),
            }))}
          />
        )}
      />
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
