import { Button } from "antd";
import type { ReactNode } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canStop } from "@/shared/session/roles";
import { Panel } from "@/shared/ui/page";
import { useProblemMessage } from "@/shared/ui/query-states";
import { EventList } from "@/shared/workload/components/event-list";
import { useCauseSentence } from "@/shared/workload/components/sentences";
import { Timeline } from "@/shared/workload/components/timeline";
import { WaitingPanel } from "@/shared/workload/components/waiting-panel";
import { WorkloadFacts } from "@/shared/workload/components/workload-facts";
import { SilentNodes, WorkloadHeader } from "@/shared/workload/components/workload-page";
import { isStoppable, isTerminal } from "@/shared/workload/model/lifecycle";
import { useStopReplica } from "../api/replicas";

/** One replica of a service: its state and way, why it waits or ended. */
export function ReplicaPage({ replica, log }: { replica: WorkloadDetail; log: ReactNode }) {
  const { t } = useTranslation("services");
  const causeSentence = useCauseSentence();
  return (
    <>
      <WorkloadHeader workload={replica} actions={<StopButton replica={replica} />} />
      <div className="stack">
        <Timeline workload={replica} />
        {isTerminal(replica.state) && (
          <p style={{ margin: 0 }}>{causeSentence(replica.cause, replica.cause_params)}</p>
        )}
        <SilentNodes workload={replica} />
        <WaitingPanel workload={replica} />
        <div className="columns">
          <Panel title={t("detailsTitle")}>
            <WorkloadFacts workload={replica} />
          </Panel>
          <Panel title={t("eventsTitle")}>
            <EventList workloadId={replica.id} />
          </Panel>
        </div>
        <Panel title={t("logTitle")}>{log}</Panel>
      </div>
    </>
  );
}

/** Its service starts another one in its place. */
function StopButton({ replica }: { replica: WorkloadDetail }) {
  const { t } = useTranslation("services");
  const me = useMe();
  const showProblem = useProblemMessage();
  const stop = useStopReplica(replica.id);
  if (!isStoppable(replica.state) || !canStop(me, replica)) return null;
  return (
    <Button
      loading={stop.isPending}
      title={t("replaceAbout")}
      onClick={() => stop.mutate(undefined, { onError: showProblem })}
    >
      {t("replace")}
    </Button>
  );
}
