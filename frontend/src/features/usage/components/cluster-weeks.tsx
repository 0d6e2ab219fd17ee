import { Alert } from "antd";
import type { ClusterWeek } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { useClusterWeeks } from "../api/usage";
import {
  STORY,
  type StoryFigure,
  simulatedPart,
  type WeekFigures,
  weekFigures,
} from "../model/usage";
import styles from "./usage.module.css";

const FIGURES = ["hoursPerGpuDay", "utilisation", "tasks"] as const;
const HEIGHT = 96;

/** Before and after: three figures of this cluster by week, beside those of the story. */
export function ClusterWeeks() {
  const { t } = useTranslation("usage");
  return (
    <Panel title={t("weeks.title")} testId="cluster-weeks">
      <p className="quiet note">{t("weeks.about")}</p>
      <QueryBoundary query={useClusterWeeks()} rows={4}>
        {(weeks) =>
          weeks.length === 0 ? (
            <EmptyState title={t("empty.title")} text={t("empty.notCounted")} />
          ) : (
            <WeekCharts weeks={weeks} />
          )
        }
      </QueryBoundary>
    </Panel>
  );
}

function WeekCharts({ weeks }: { weeks: readonly ClusterWeek[] }) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const simulated = simulatedPart(weeks);
  const figures = weeks.map(weekFigures);
  return (
    <>
      {simulated > 0 && (
        <Alert
          type="info"
          showIcon
          title={t("weeks.simulated", {
            percent: formatNumber(Math.max(1, 100 * simulated), language, 0),
          })}
        />
      )}
      <div className={styles.figures}>
        {FIGURES.map((figure) => (
          <FigureChart key={figure} figure={figure} weeks={figures} />
        ))}
      </div>
    </>
  );
}

/** One figure by week as bars; two lines mark what the story had before and after. */
function FigureChart({ figure, weeks }: { figure: StoryFigure; weeks: readonly WeekFigures[] }) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const { before, after } = STORY[figure];
  const known = weeks.flatMap((week) => week[figure] ?? []);
  const top = Math.max(after * 1.1, ...known);
  const say = (value: number | null | undefined) =>
    value === null || value === undefined
      ? "–"
      : t(`weeks.amount.${figure}`, { amount: formatNumber(value, language, 1) });
  const day = new Intl.DateTimeFormat(language, { month: "short", day: "numeric" });
  const dayOf = (week: WeekFigures | undefined) =>
    week && day.format(new Date(`${week.week}T12:00`));
  const last = weeks.at(-1)?.[figure];
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.figureHead}>
        <span>{t(`weeks.${figure}`)}</span>
        <b className="num">{say(last)}</b>
      </figcaption>
      <div
        className={styles.plot}
        style={{ height: HEIGHT }}
        role="img"
        aria-label={t("weeks.label", {
          figure: t(`weeks.${figure}`),
          last: say(last),
          before: say(before),
          after: say(after),
        })}
      >
        {weeks.map((week) => (
          <div
            key={week.week}
            className={styles.bar}
            title={`${dayOf(week)}: ${say(week[figure])}`}
          >
            <span
              data-hue={0}
              style={{ bottom: 0, height: `${(100 * (week[figure] ?? 0)) / top}%` }}
            />
          </div>
        ))}
        {[before, after].map((mark) => (
          <i key={mark} className={styles.mark} style={{ bottom: `${(100 * mark) / top}%` }} />
        ))}
      </div>
      <div className={`num ${styles.axis}`} aria-hidden>
        <span>{dayOf(weeks[0])}</span>
        <span>{dayOf(weeks.at(-1))}</span>
      </div>
      <p className="second">{t("weeks.story", { before: say(before), after: say(after) })}</p>
    </figure>
  );
}
