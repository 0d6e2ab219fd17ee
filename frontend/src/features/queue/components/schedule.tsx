/** Bars over time: the axis with its ticks, what runs, and the starts of what waits. */
import { formatWhen } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Segments } from "@/shared/ui/controls";
import { Hinted } from "@/shared/ui/opening";
import { useDeviceWords } from "@/shared/workload/components/sentences";
import { GlimpseName } from "@/shared/workload/components/workload-link";
import { type Axis, type AxisSpan, type Bar, extentOf, SPAN_NAMES } from "../model/schedule";
import styles from "./queue.module.css";

const LANES_MAX = 40;

interface RulerProps {
  axis: Axis;
  span: AxisSpan;
  onSpan: (span: AxisSpan) => void;
}

/** The head of all bars: how far they reach, and the time. */
export function Ruler({ axis, span, onSpan }: RulerProps) {
  const { t } = useTranslation("queue");
  const language = useLanguage();
  const whole = axis.to.getTime() - axis.from.getTime();
  return (
    <div className={styles.lanes}>
      <Segments
        label={t("span.label")}
        value={span}
        options={SPAN_NAMES.map((value) => ({ value, label: t(`span.${value}`) }))}
        onChoose={onSpan}
      />
      <div className={`num ${styles.axis}`} aria-hidden>
        {axis.ticks.map((tick, index) => (
          <span
            key={tick.getTime()}
            style={{ left: `${(100 * (tick.getTime() - axis.from.getTime())) / whole}%` }}
          >
            {index === 0 ? t("now") : formatWhen(tick, axis.from, language)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** What runs until when at the latest, and promised starts of what is not listed below. */
export function Lanes({ bars, axis }: { bars: readonly Bar[]; axis: Axis }) {
  const { t } = useTranslation("queue");
  const devices = useDeviceWords();
  if (bars.length === 0) return <p className={styles.hint}>{t("nothingRuns")}</p>;
  return (
    <>
      <ul className={styles.lanes} aria-label={t("running")}>
        {bars.slice(0, LANES_MAX).map((bar) => (
          <li key={bar.key}>
            <span className={styles.label}>
              <GlimpseName work={bar.work} />{" "}
              <span className="quiet">
                {bar.work.owner && (bar.work.owner.display_name || bar.work.owner.username)}
              </span>
            </span>
            <span className={`num ${styles.amount}`}>{devices(bar.work)}</span>
            <Lane bar={bar} axis={axis} />
          </li>
        ))}
      </ul>
      {bars.length > LANES_MAX && (
        <p className={styles.hint}>{t("more", { count: bars.length - LANES_MAX })}</p>
      )}
    </>
  );
}

/** One bar on the axis, in words for those who come near or do not see it. */
export function Lane({ bar, axis }: { bar: Bar; axis: Axis }) {
  const { t } = useTranslation("queue");
  const language = useLanguage();
  const devices = useDeviceWords();
  const { left, width } = extentOf(bar, axis);
  const say = (moment: Date) => formatWhen(moment, axis.from, language);
  const when = () => {
    if (bar.use === "reserved") return t("startsBy", { at: say(bar.from) });
    if (bar.use === "expected") {
      return t("startsBetween", { from: say(bar.from), to: say(bar.to ?? bar.from) });
    }
    return bar.to ? t("endsBy", { at: say(bar.to) }) : t("endUnknown");
  };
  const words = [
    t(`use.${bar.use}`),
    bar.isLent && t("use.lent"),
    devices(bar.work),
    bar.nodes.join(", "),
    when(),
  ]
    .filter(Boolean)
    .join(" · ");
  return (
    <Hinted title={words}>
      <div className={styles.lane} role="img" aria-label={words}>
        <div
          className={styles.bar}
          data-use={bar.use}
          data-lent={bar.isLent || undefined}
          style={{ left: `${Math.min(left, 99.5)}%`, width: `${width}%` }}
        />
      </div>
    </Hinted>
  );
}

const LEGEND = ["mine", "taken", "lent", "reserved", "expected"] as const;

export function ScheduleLegend() {
  const { t } = useTranslation("queue");
  return (
    <ul className={styles.legend} aria-label={t("legend")}>
      {LEGEND.map((use) => (
        <li key={use}>
          <span className={styles.sample} aria-hidden>
            <span
              className={styles.bar}
              data-use={use === "lent" ? "taken" : use}
              data-lent={use === "lent" || undefined}
              style={{ width: "100%" }}
            />
          </span>
          {t(`use.${use}`)}
        </li>
      ))}
    </ul>
  );
}
