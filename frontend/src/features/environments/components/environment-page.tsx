import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { useConfig } from "@/shared/session/me";
import { UsageCharts } from "@/shared/telemetry/components/usage-charts";
import { PageHeader, Panel } from "@/shared/ui/page";
import { AdvicePanel } from "@/shared/workload/components/advice";
import { EventList } from "@/shared/workload/components/event-list";
import { useCauseSentence } from "@/shared/workload/components/sentences";
import { NoIsolationBadge, SimulatedBadge } from "@/shared/workload/components/tags";
import { Timeline } from "@/shared/workload/components/timeline";
import { WaitingPanel } from "@/shared/workload/components/waiting-panel";
import { ShortDisks, StateLine, WorkloadFacts } from "@/shared/workload/components/workload-page";
import { isOnTheWay } from "@/shared/workload/model/lifecycle";
import { EnvironmentActions } from "./environment-actions";
import { IdleBanner } from "./idle-banner";

/** One notebook: what state it is in, how it got there, and what can be done. */
export function EnvironmentPage({ environment }: { environment: WorkloadDetail }) {
  const { t } = useTranslation(["environments", "telemetry"]);
  const isSimulated = useConfig()?.is_simulated ?? false;
  return (
    <>
      <PageHeader
        title={environment.name}
        about={
          <>
            <StateLine workload={environment} />
            {environment.is_isolated === false && <NoIsolationBadge />}
            {isSimulated && <SimulatedBadge />}
          </>
        }
        actions={<EnvironmentActions environment={environment} />}
      />
      <div className="stack">
        <Progress environment={environment} />
        <IdleBanner environment={environment} />
        <ShortDisks workload={environment} />
        <WaitingPanel workload={environment} />
        <AdvicePanel workload={environment} />
        {environment.state === "running" && (
          <Panel title={t("telemetry:title")}>
            <UsageCharts subject={{ kind: "workload", id: environment.id }} />
          </Panel>
        )}
        <div className="columns">
          <Panel title={t("detailsTitle")}>
            <WorkloadFacts workload={environment} />
          </Panel>
          <Panel title={t("eventsTitle")}>
            <EventList workloadId={environment.id} />
          </Panel>
        </div>
      </div>
    </>
  );
}

function Progress({ environment }: { environment: WorkloadDetail }) {
  const { t } = useTranslation("environments");
  const causeSentence = useCauseSentence();
  const { state, cause, cause_params } = environment;
  if (isOnTheWay(state) || state === "running") return <Timeline workload={environment} />;
  if (state !== "suspended") return null;
  const isOwnWish = !cause || cause === "requested";
  return (
    <p>
      {isOwnWish
        ? t("stopped")
        : t("stoppedBecause", { cause: causeSentence(cause, cause_params) })}
    </p>
  );
}
