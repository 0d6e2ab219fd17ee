import { useState } from "react";
import type { PoolQueue } from "@/shared/api/types";
import { formatWhen } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Hinted } from "@/shared/ui/opening";
import { useDeviceWords } from "@/shared/workload/components/sentences";
import { GlimpseName } from "@/shared/workload/components/workload-link";
import { type Axis, axisOf, type Bar, type BarUse, barsOf, extentOf } from "../model/schedule";
import styles from "./queue.module.css";

const LANES_MAX = 40;
const USES: readonly BarUse[] = ["reserved", "mine", "taken", "guest"];

/** What runs until when at the latest, and which starts are promised. */
export function Schedule({ queue }: { queue: PoolQueue }) {
  const { t } = useTranslation("queue");
  // Of the moment of the answer: bars do not creep under the pointer.
  const [now, setNow] = useState(() => ({ queue, at: new Date() }));
  if (now.queue !== queue) setNow({ queue, at: new Date() });
  const bars = barsOf(queue, now.at);
  if (bars.length === 0) return <p className={styles.hint}>{t("nothingRuns")}</p>;
  const axis = axisOf(bars, now.at);
  return (
    <>
      <div className={styles.chart}>
        <Ticks axis={axis} />
        {bars.slice(0, LANES_MAX).map((bar) => (
          <Lane key={bar.key} bar={bar} axis={axis} />
        ))}
      </div>
      {bars.length > LANES_MAX && (
        <p className={styles.hint}>{t("more", { count: bars.length - LANES_MAX })}</p>
      )}
      <ul className={styles.legend} aria-label={t("legend")}>
        {USES.map((use) => (
          <li key={use}>
            <span className={styles.sample} aria-hidden>
              <span className={styles.bar} data-use={use} style={{ width: "100%" }} />
            </span>
            {t(`use.${use}`)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Ticks({ axis }: { axis: Axis }) {
  const { t } = useTranslation("queue");
  const language = useLanguage();
  return (
    <div className={`num ${styles.axis}`} aria-hidden>
      {axis.ticks.map((tick, index) => (
        <span key={tick.getTime()} style={{ left: `${(100 * index) / (axis.ticks.length - 1)}%` }}>
          {index === 0 ? t("now") : formatWhen(tick, axis.from, language)}
        </span>
      ))}
    </div>
  );
}

function Lane({ bar, axis }: { bar: Bar; axis: Axis }) {
  const { t } = useTranslation("queue");
  const language = useLanguage();
  const devices = useDeviceWords();
  const { left, width } = extentOf(bar, axis);
  const say = (moment: Date) => formatWhen(moment, axis.from, language);
  const when =
    bar.use === "reserved"
      ? t("startsBy", { at: say(bar.from) })
      : bar.to
        ? t("endsBy", { at: say(bar.to) })
        : t("endUnknown");
  const words = [t(`use.${bar.use}`), devices(bar.work), bar.nodes.join(", "), when].join(" · ");
  return (
    <>
      <span className={styles.label}>
        <GlimpseName work={bar.work} />
      </span>
      <Hinted title={words}>
        <div className={styles.lane} role="img" aria-label={words}>
          <div
            className={styles.bar}
            data-use={bar.use}
            style={{ left: `${left}%`, width: `${width}%` }}
          />
        </div>
      </Hinted>
    </>
  );
}
