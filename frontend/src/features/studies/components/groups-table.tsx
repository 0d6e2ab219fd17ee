import { useTranslation } from "react-i18next";
import type { StudyGroup } from "@/shared/api/types";
import { DataTable } from "@/shared/ui/data-table";
import { type Measure, trendOf } from "../model/figures";
import styles from "./studies.module.css";
import { useMeasureWords } from "./use-measure-words";

const SHOWN = ["jobs", "mean_wait_s", "card_hours", "evictions"] as const satisfies Measure[];

/** Who gains and who loses. */
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
