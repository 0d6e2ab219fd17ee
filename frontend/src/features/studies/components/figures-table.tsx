import { useTranslation } from "react-i18next";
import type { StudyFindings } from "@/shared/api/types";
import { DataTable } from "@/shared/ui/data-table";
import { MEASURES, type Measure, trendOf } from "../model/figures";
import styles from "./studies.module.css";
import { useMeasureWords } from "./use-measure-words";

/** Every measure as it was, as today's rules tell it, and as the change does. */
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
