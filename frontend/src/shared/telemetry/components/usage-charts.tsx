import { useTranslation } from "react-i18next";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { type Subject, useTelemetry } from "../api/use-telemetry";
import { chartsOf, NODE_METRICS, WORK_METRICS } from "../model/charts";
import { LineChart } from "./line-chart";
import styles from "./usage-charts.module.css";

/** The last hour of a node's cards, or of what a workload used of its own. */
export function UsageCharts({ subject }: { subject: Subject }) {
  const { t } = useTranslation("telemetry");
  const telemetry = useTelemetry(subject);
  if (telemetry.isPending) return <Loading rows={4} />;
  if (!telemetry.data) {
    return <ProblemAlert error={telemetry.error} onRetry={() => void telemetry.refetch()} />;
  }
  const isNode = subject.kind === "node";
  const charts = chartsOf(telemetry.data, isNode ? NODE_METRICS : WORK_METRICS);
  if (charts.every(({ lines }) => lines.length === 0)) {
    return <EmptyState title={t("empty.title")} text={t("empty.text")} />;
  }
  const nameOf = (title: string) => t(isNode ? "card" : "rank", { title });
  const unknown = charts.filter(({ lines }) => lines.length === 0);
  return (
    <>
      <div className={styles.charts}>
        {charts
          .filter(({ lines }) => lines.length > 0)
          .map((chart) => (
            <LineChart
              key={chart.metric}
              chart={chart}
              times={telemetry.data.times}
              nameOf={nameOf}
            />
          ))}
      </div>
      {unknown.length > 0 && (
        <p className={styles.unknown}>
          {t("notMeasured", {
            names: unknown.map(({ metric }) => t(`metric.${metric}`)).join(t("comma")),
          })}
        </p>
      )}
    </>
  );
}
