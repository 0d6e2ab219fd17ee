import { useState } from "react";
import type { UsageRow } from "@/shared/api/types";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useSiteToday, useUsage } from "../api/usage";
import type { Grouping } from "../model/search";
import {
  CALENDAR_WEEKS,
  calendarDays,
  formatHours,
  stackedChart,
  stepOf,
  type UsageQuery,
  usageCalendar,
} from "../model/usage";
import styles from "./usage.module.css";
import { useSubject } from "./usage-table";

const HEIGHT = 160;

interface UsageChartProps {
  /** By step and subject. */
  rows: readonly UsageRow[];
  query: UsageQuery;
  by: Grouping;
}

/** GPU-hours over time, stacked by subject; pointing at a bar shows its parts in figures. */
export function UsageChart({ rows, query, by }: UsageChartProps) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const subject = useSubject(by);
  const [shown, setShown] = useState<number | null>(null);
  const { keys, bars, top } = stackedChart(rows, query);
  const hue = (key: string) => (key === "other" ? "other" : keys.findIndex((k) => k.key === key));
  const hours = (amount: number) => t("hoursOf", { hours: formatHours(amount, language) });
  const step = stepOf(query);
  const day = new Intl.DateTimeFormat(
    language,
    step === "month" ? { year: "numeric", month: "short" } : { month: "short", day: "numeric" },
  );
  const say = (period: string) => day.format(new Date(`${period}T12:00`));
  const bar = shown === null ? undefined : bars[shown];
  const ends = [bars[0], bars[bars.length >> 1], bars.at(-1)];
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.legend}>
        {keys.map(({ key, row }) => (
          <span key={key}>
            <i className={styles.dot} data-hue={hue(key)} />
            {subject(row)}
          </span>
        ))}
      </figcaption>
      <span className={`num ${styles.top}`} aria-hidden>
        {hours(top)}
      </span>
      <div
        className={styles.plot}
        style={{ height: HEIGHT }}
        role="img"
        aria-label={t("chart", { step: t(`steps.${step}`), most: hours(top) })}
        onPointerLeave={() => setShown(null)}
      >
        {bars.map(({ period, parts }, place) => (
          <div key={period} className={styles.bar} onPointerEnter={() => setShown(place)}>
            {parts.map(({ key, from, to }) => (
              <span
                key={key}
                data-hue={hue(key)}
                style={{
                  bottom: `${(100 * from) / top}%`,
                  height: `${(100 * (to - from)) / top}%`,
                }}
              />
            ))}
          </div>
        ))}
        {bar && (
          <div className={`num ${styles.values}`} data-side={sideOf(shown ?? 0, bars.length)}>
            <b>{say(bar.period)}</b>
            {keys
              .filter(({ key }) => bar.parts.some((part) => part.key === key))
              .map(({ key, row }) => (
                <div key={key} className={styles.value}>
                  <span>
                    <i className={styles.dot} data-hue={hue(key)} />
                    {subject(row)}
                  </span>
                  <span>{hours(heightOf(bar.parts, key))}</span>
                </div>
              ))}
            <div className={styles.value}>
              <span>{t("sum")}</span>
              <b>{hours(bar.total)}</b>
            </div>
          </div>
        )}
      </div>
      <div className={`num ${styles.axis}`} aria-hidden>
        {ends.map((end, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: three fixed places
          <span key={place}>{end && say(end.period)}</span>
        ))}
      </div>
    </figure>
  );
}

function sideOf(place: number, count: number): "left" | "right" {
  return place > count / 2 ? "left" : "right";
}

function heightOf(parts: readonly { key: string; from: number; to: number }[], key: string) {
  const part = parts.find((each) => each.key === key);
  return part ? part.to - part.from : 0;
}

const CELL = 14;
const GAP = 2;
const TITLE = 16;

/** The last year day by day: the more was held, the stronger the colour. */
export function UsageCalendarPanel({ group, user }: Pick<UsageQuery, "group" | "user">) {
  const { t } = useTranslation("usage");
  const span = calendarDays(useSiteToday());
  const query = { ...span, ...(group && { group }), ...(user && { user }) };
  return (
    <Panel title={t("calendar.title")}>
      <QueryBoundary query={useUsage({ ...query, granularity: "day" })} rows={3}>
        {({ rows }) => <Calendar rows={rows} span={span} />}
      </QueryBoundary>
    </Panel>
  );
}

interface CalendarProps {
  rows: readonly UsageRow[];
  span: Pick<UsageQuery, "first_day" | "last_day">;
}

function Calendar({ rows, span }: CalendarProps) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const { days, months, fullest, used } = usageCalendar(rows, span);
  const date = new Intl.DateTimeFormat(language, { dateStyle: "full" });
  const month = new Intl.DateTimeFormat(language, { month: "short" });
  const noon = (day: string) => new Date(`${day}T12:00`);
  const hours = (amount: number) => t("hoursOf", { hours: formatHours(amount, language) });
  const about = fullest
    ? t("calendar.summary", {
        count: used,
        most: hours(fullest.held),
        day: date.format(noon(fullest.day)),
      })
    : t("calendar.none");
  return (
    <>
      <svg
        className={styles.calendar}
        viewBox={`0 0 ${CALENDAR_WEEKS * CELL} ${TITLE + 7 * CELL}`}
        role="img"
        aria-label={about}
      >
        {months.map(({ week, day }) => (
          <text key={day} x={week * CELL} y={TITLE - 5}>
            {month.format(noon(day))}
          </text>
        ))}
        {days.map(({ day, week, weekday, held, level }) => (
          <rect
            key={day}
            data-level={level}
            x={week * CELL}
            y={TITLE + weekday * CELL}
            width={CELL - GAP}
            height={CELL - GAP}
            rx={2}
          >
            <title>{`${date.format(noon(day))}: ${hours(held)}`}</title>
          </rect>
        ))}
      </svg>
      <p className="quiet">{about}</p>
    </>
  );
}
