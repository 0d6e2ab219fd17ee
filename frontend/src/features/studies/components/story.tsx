/** The scenario that comes along: where it is started, and what was found. */
import { useNavigate } from "@tanstack/react-router";
import { Button } from "antd";
import { type ReactNode, useId, useMemo, useState } from "react";
import type { Story, StudyDetail } from "@/shared/api/types";
import { clockStyle, wallTime } from "@/shared/i18n/clock";
import { formatClock, formatDuration, formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { DataTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import type { Extent } from "@/shared/ui/plot";
import { useRequestStory } from "../api/studies";
import {
  type OwnFigures,
  STORY_FIGURES,
  STORY_MEASURES,
  type StoryFigureName,
  type StoryMeasure,
  storyBars,
  storyCurves,
  type ToldFigures,
} from "../model/studies";
import { CurveChart } from "./findings";
import styles from "./studies.module.css";

const ASSUMPTIONS = ["task", "busy", "before", "articleUse", "after", "restart", "wait"] as const;
const TELLINGS = ["before", "after", "limit"] as const;
const NAMES = Object.keys(STORY_FIGURES) as StoryFigureName[];

/** Where the story is started; it leads to its page, which fills when a worker is done. */
export function StoryStart() {
  const { t } = useTranslation("studies");
  const navigate = useNavigate();
  const request = useRequestStory();
  const open = ({ id }: StudyDetail) => void navigate({ to: "/what-if/$id", params: { id } });
  return (
    <Panel
      title={t("story.title")}
      extra={
        <Button
          loading={request.isPending}
          onClick={() => request.mutate("aistation", { onSuccess: open })}
        >
          {t("story.run")}
        </Button>
      }
    >
      <p className={styles.about}>{t("story.about")}</p>
    </Panel>
  );
}

interface StoryFindingsProps {
  story: Story;
  /** What was reported of the cluster that the story is about. */
  told: ToldFigures;
  /** The last full week of this cluster, once it is known. */
  own: OwnFigures | undefined;
  /** This cluster week by week. */
  weeks: ReactNode;
}

/** What the same people get done before and after, beside what was reported, and this cluster. */
export function StoryFindings({ story, told, own, weeks }: StoryFindingsProps) {
  const { t } = useTranslation("studies");
  const { gpus, people, weeks: count } = story;
  return (
    <>
      <Panel title={t("answer")} testId="story">
        <p className={styles.about}>{t("story.measured", { gpus, people, count })}</p>
        <div className={styles.figures}>
          {NAMES.map((name) => (
            <StoryFigureBars key={name} name={name} story={story} told={told} own={own} />
          ))}
        </div>
      </Panel>
      <Panel title={t("story.all")}>
        <StoryTable story={story} />
      </Panel>
      <Panel title={t("story.week")}>
        <StoryWeek story={story} />
      </Panel>
      {weeks}
      <Panel title={t("story.assumptions")}>
        <ul className={styles.changes}>
          {ASSUMPTIONS.map((name) => (
            <li key={name}>{t(`story.assumed.${name}`)}</li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

interface StoryFigureBarsProps extends Omit<StoryFindingsProps, "weeks"> {
  name: StoryFigureName;
}

function StoryFigureBars({ name, story, told, own }: StoryFigureBarsProps) {
  const { t } = useTranslation("studies");
  const say = useStoryWords();
  const measure = STORY_FIGURES[name];
  const title = t(`story.measure.${measure}`);
  const { bars, isReached } = storyBars(name, story, told, own);
  const [from, to] = [say(measure, story.before[measure]), say(measure, story.after[measure])];
  return (
    <section aria-label={title} className={styles.figure}>
      <h3>{title}</h3>
      <p className={`num ${styles.fromTo}`}>
        {t("fromTo", { from, to })}
        <span className={styles.changed} data-trend={isReached ? "better" : "worse"}>
          {t(isReached ? "story.reached" : "story.missed")}
        </span>
      </p>
      <dl className={styles.bars}>
        {bars.map(({ key, value, width }) => (
          <div key={key} data-bar={key}>
            <dt>{t(`story.bar.${key}`)}</dt>
            <dd className="num">{say(measure, value)}</dd>
            <dd aria-hidden>
              <i style={{ width: `${width}%` }} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Every measure under both sets of rules, and what no scheduler can exceed. */
function StoryTable({ story }: { story: Story }) {
  const { t } = useTranslation("studies");
  const say = useStoryWords();
  return (
    <DataTable<StoryMeasure>
      label={t("story.all")}
      rows={STORY_MEASURES}
      rowKey={(measure) => measure}
      columns={[
        {
          key: "measure",
          title: t("measureTitle"),
          cell: (measure) => t(`story.measure.${measure}`),
        },
        ...TELLINGS.map((telling) => ({
          key: telling,
          title: t(`story.column.${telling}`),
          isShort: true,
          cell: (measure: StoryMeasure) => {
            const figures: Partial<Story["after"]> = story[telling];
            return <span className="num">{say(measure, figures[measure] ?? null)}</span>;
          },
        })),
      ]}
    />
  );
}

/** The last simulated week: how many GPUs are held and compute, and what waits. */
function StoryWeek({ story }: { story: Story }) {
  const language = useLanguage();
  const group = useId();
  const [zoomed, setZoomed] = useState<Extent | null>(null);
  const curves = useMemo(() => storyCurves(story), [story]);
  const { timeZone } = clockStyle();
  const days = new Intl.DateTimeFormat(language, { weekday: "short", timeZone });
  const isMidnight = (at: number) => wallTime(new Date(at)).endsWith("T00:00:00");
  return (
    <div className={styles.charts}>
      {curves.map((curve) => (
        <CurveChart
          key={curve.name}
          curve={curve}
          group={group}
          zoomed={zoomed}
          onZoom={setZoomed}
          sayTimes={(marks) =>
            marks.map((at) =>
              isMidnight(at) ? days.format(at) : formatClock(new Date(at), language),
            )
          }
          sayMoment={(at) => `${days.format(at)} ${formatClock(new Date(at), language)}`}
        />
      ))}
    </div>
  );
}

/** A figure in its unit; a dash for what is not known. */
function useStoryWords(): (measure: StoryMeasure, value: number | null) => string {
  const { t } = useTranslation("studies");
  const language = useLanguage();
  return (measure, value) => {
    if (value === null) return "–";
    const amount = formatNumber(value, language, 1);
    if (measure === "notebook_wait_s_max") return formatDuration(value, language);
    if (measure === "utilisation_pct") return `${amount} %`;
    return measure.includes("hours") ? t("story.hours", { amount }) : amount;
  };
}
