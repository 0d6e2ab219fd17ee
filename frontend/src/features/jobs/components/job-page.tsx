import { Tabs } from "antd";
import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { useConfig, useMe } from "@/shared/session/me";
import { mayStop, maySubmitIn } from "@/shared/session/roles";
import { UsageCharts } from "@/shared/telemetry/components/usage-charts";
import { LinkButton, PageHeader } from "@/shared/ui/page";
import { AdvicePanel } from "@/shared/workload/components/advice";
import { EventList } from "@/shared/workload/components/event-list";
import { useCauseSentence } from "@/shared/workload/components/sentences";
import { NoIsolationBadge, SimulatedBadge } from "@/shared/workload/components/tags";
import { Timeline } from "@/shared/workload/components/timeline";
import { WaitingPanel } from "@/shared/workload/components/waiting-panel";
import { PortButtons, ShortDisks, StateLine } from "@/shared/workload/components/workload-page";
import { isStoppable } from "@/shared/workload/model/lifecycle";
import { JOB_TABS, type JobTab } from "../model/tabs";
import { CancelButton } from "./cancel-button";
import { ExitCode } from "./exit-code";
import { JobDetails } from "./job-details";
import { LogView } from "./log-view";
import { OutputList } from "./output-list";

interface JobPageProps {
  job: WorkloadDetail;
  tab: JobTab;
  onTab: (tab: JobTab) => void;
}

/** One job: its state and way, why it waits, its log, outputs and how it ended. */
export function JobPage({ job, tab, onTab }: JobPageProps) {
  const { t } = useTranslation("jobs");
  const me = useMe();
  const isSimulated = useConfig()?.is_simulated ?? false;
  const isMineRunning = job.state === "running" && job.owner.id === me.id;
  const panes = {
    log: <LogView job={job} />,
    outputs: <OutputList jobId={job.id} />,
    usage: <UsageCharts subject={{ kind: "workload", id: job.id }} />,
    events: <EventList workloadId={job.id} />,
    details: <JobDetails job={job} />,
  } satisfies Record<JobTab, unknown>;
  return (
    <>
      <PageHeader
        title={job.name}
        about={
          <>
            <StateLine workload={job} />
            {job.is_isolated === false && <NoIsolationBadge />}
            {isSimulated && <SimulatedBadge />}
          </>
        }
        actions={
          <>
            {isMineRunning && <PortButtons workload={job} />}
            {isMineRunning && (
              <LinkButton isPrimary={false} to="/jobs/$id/terminal" params={{ id: job.id }}>
                {t("terminal")}
              </LinkButton>
            )}
            {maySubmitIn(me, job.group.id) && (
              <LinkButton isPrimary={false} to="/jobs/new" search={{ from: job.id }}>
                {t("again")}
              </LinkButton>
            )}
            {isStoppable(job.state) && mayStop(me, job) && <CancelButton jobId={job.id} />}
          </>
        }
      />
      <div className="stack">
        <Timeline workload={job} />
        <Ending job={job} />
        <ShortDisks workload={job} />
        <WaitingPanel workload={job} />
        <AdvicePanel workload={job} />
        <Tabs
          activeKey={tab}
          onChange={(key) => onTab(key as JobTab)}
          destroyOnHidden
          items={JOB_TABS.map((key) => ({ key, label: t(`tab.${key}`), children: panes[key] }))}
        />
      </div>
    </>
  );
}

/** How it ended, in words: exit code with its meaning, and the cause where there is one. */
function Ending({ job: { exit_code, cause, cause_params, state } }: { job: WorkloadDetail }) {
  const causeSentence = useCauseSentence();
  if (exit_code === null && state !== "failed") return null;
  return (
    <p style={{ margin: 0 }}>
      {exit_code !== null && <ExitCode code={exit_code} />}
      {cause && cause !== "exited" && <> · {causeSentence(cause, cause_params)}</>}
    </p>
  );
}
