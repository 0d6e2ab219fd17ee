import type { Pool, RunTimeAccuracy } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useRunTimes } from "../api/policy";
import styles from "./policy.module.css";

/** How good learned run times are, and what rests on them. */
export function RunTimesPanel({ pool }: { pool: Pool }) {
  const { t } = useTranslation("policy");
  return (
    <QueryBoundary query={useRunTimes(pool.id)} rows={3} canRetry={false}>
      {(accuracy) => (
        <Panel title={t("runTimes.title")}>
          <p className={styles.runTimesAbout}>{t("runTimes.about")}</p>
          <RunTimeFigures accuracy={accuracy} />
        </Panel>
      )}
    </QueryBoundary>
  );
}

function RunTimeFigures({ accuracy }: { accuracy: RunTimeAccuracy }) {
  const { t } = useTranslation("policy");
  const language = useLanguage();
  const { runs, predicted, since } = accuracy;
  if (runs === 0) return <p className={styles.runTimesNone}>{t("runTimes.none")}</p>;
  const say = (value: number) => formatNumber(value, language, 0);
  const percent = (value: number) => (predicted === 0 ? "–" : `${say(value)} %`);
  return (
    <>
      <dl className={styles.figures}>
        <Figure name={t("runTimes.predicted")} value={`${say(predicted)} / ${say(runs)}`} />
        <Figure
          name={t("runTimes.withinTwo")}
          value={percent(accuracy.within_factor_two_percent)}
        />
        <Figure name={t("runTimes.medianError")} value={percent(accuracy.median_error_percent)} />
        <Figure name={t("runTimes.tooLong")} value={percent(accuracy.too_long_percent)} />
        <Figure name={t("runTimes.tooShort")} value={percent(accuracy.too_short_percent)} />
      </dl>
      {since && (
        <p className={styles.runTimesNone}>
          {t("runTimes.since")} <Age at={since} />
        </p>
      )}
    </>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{value}</dd>
    </div>
  );
}
