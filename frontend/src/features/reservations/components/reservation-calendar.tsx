import { useTranslation } from "react-i18next";
import type { AdvanceReservation } from "@/shared/api/types";
import { formatWhen } from "@/shared/i18n/format";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { useNow } from "@/shared/ui/time";
import { CALENDAR_DAYS, DAY_MS, midnight, windowBars } from "../model/reservations";
import styles from "../reservations.module.css";

/** The next two weeks: a line for each reservation, a bar for each of its windows. */
export function ReservationCalendar({ rows }: { rows: readonly AdvanceReservation[] }) {
  const { t } = useTranslation("reservations");
  const language = useLanguage();
  const now = useNow();
  const first = midnight(now);
  const days = Array.from(
    { length: CALENDAR_DAYS },
    (_, day) => new Date(first.getTime() + day * DAY_MS),
  );
  const shown = rows.filter(({ windows }) => windowBars(windows, first).length > 0);
  if (shown.length === 0) return null;
  return (
    <Panel title={t("calendar")}>
      <div className={styles.calendar}>
        <div className={styles.days} aria-hidden="true">
          {days.map((day) => (
            <span key={day.toISOString()}>
              {new Intl.DateTimeFormat(language, { weekday: "short", day: "numeric" }).format(day)}
            </span>
          ))}
        </div>
        {shown.map((row) => (
          <div key={row.id} className={styles.line}>
            <span className={styles.name}>
              {row.name || t("ofOthers")} · {titleOf(row.pool, language)}
            </span>
            <div className={styles.track}>
              {windowBars(row.windows, first).map(({ key, left, width, window }) => (
                <span
                  key={key}
                  className={styles.bar}
                  data-others={!row.name}
                  style={{ left: `${left}%`, width: `${width}%` }}
                  title={`${formatWhen(new Date(window.starts_at), now, language)} – ${formatWhen(new Date(window.ends_at), now, language)}`}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
    </Panel>
  );
}
