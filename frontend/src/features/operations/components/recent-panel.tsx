import { Link } from "@tanstack/react-router";
import type { RecentDays } from "@/shared/api/types";
import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useRecentDays } from "../api/operations";
import { changePct, RECENT_FIGURES, type RecentFigure, recentRows } from "../model/operations";
import styles from "./operations.module.css";

/** The last 24 hours beside those before them. */
export function RecentPanel() {
  const { t } = useTranslation("operations");
  return (
    <Panel title={t("recent.title")} extra={<span className="second">{t("recent.about")}</span>}>
      <QueryBoundary query={useRecentDays()} rows={8}>
        {(days) => <RecentTable days={days} />}
      </QueryBoundary>
    </Panel>
  );
}

function RecentTable({ days }: { days: RecentDays }) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const rows = recentRows(days.last, days.before);
  const say = (kind: (typeof rows)[RecentFigure]["kind"], value: number | null) => {
    if (value === null) return "–";
    if (kind === "seconds") return formatDuration(value, language);
    if (kind === "percent") return t("percent", { value: formatNumber(value, language) });
    return kind === "hours"
      ? t("gpuHours", { amount: formatNumber(value, language) })
      : formatNumber(value, language);
  };
  const change = (percent: number | null) => {
    if (percent === null) return "–";
    const amount = formatNumber(Math.abs(percent), language, 0);
    const sign = amount === "0" ? "±" : percent > 0 ? "+" : "−";
    return t("percent", { value: `${sign}${amount}` });
  };
  return (
    <table className={styles.recent} aria-label={t("recent.title")}>
      <thead>
        <tr>
          <th scope="col">{t("recent.figure")}</th>
          <th scope="col">{t("recent.last")}</th>
          <th scope="col">{t("recent.before")}</th>
          <th scope="col">{t("recent.change")}</th>
        </tr>
      </thead>
      <tbody>
        {RECENT_FIGURES.map((name) => {
          const { kind, last, before } = rows[name];
          return (
            <tr key={name}>
              <th scope="row">
                <RecentLink name={name} />
              </th>
              <td className="num">{say(kind, last)}</td>
              <td className="num quiet">{say(kind, before)}</td>
              <td className="num quiet">{change(changePct(last, before))}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Leads to the days of the meter, by what the figure is about. */
function RecentLink({ name }: { name: RecentFigure }) {
  const { t } = useTranslation("operations");
  const isOfEnds = ["completed", "failed", "preempted", "lost", "stopped"].includes(name);
  return (
    <Link to="/usage" search={{ period: "week", ...(isOfEnds && { by: "outcome" as const }) }}>
      {t(`recent.row.${name}`)}
    </Link>
  );
}
