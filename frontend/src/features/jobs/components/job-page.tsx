import { Flex } from "antd";
import type { ReactNode } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canStop, canSubmitIn, isMineToOpen } from "@/shared/session/roles";
import { SharedWithMe } from "@/shared/sharing/components/sharing";
import {
  ChangeButton,
  ExtendButton,
  PendingRequest,
} from "@/shared/submission/components/change-buttons";
import { runOf } from "@/shared/telemetry/model/ranges";
import { MoreActions } from "@/shared/ui/more-actions";
import { prefetched } from "@/shared/ui/opening";
import { LinkButton } from "@/shared/ui/page";
import { PageTabs } from "@/shared/ui/page-tabs";
import { Age } from "@/shared/ui/time";
import { AdvicePanel } from "@/shared/workload/components/advice";
import { Timeline } from "@/shared/workload/components/timeline";
import { WaitingPanel } from "@/shared/workload/components/waiting-panel";
import {
  LaterEvents,
  OwnerNotice,
  PortButtons,
  ShortDisks,
  SilentNodes,
  WorkloadHeader,
} from "@/shared/workload/components/workload-page";
import { isStoppable, isTerminal } from "@/shared/workload/model/lifecycle";
import { isHeld } from "../model/start";
import { JobEnd } from "./ending";
import { LogView } from "./log-view";
import { CancelButton, QueueActions } from "./queue-actions";

/** The tabs of a job's page, as its address names them. */
const JOB_TABS = ["log", "metrics", "outputs", "usage", "events", "details"] as const;
export type JobTab = (typeof JOB_TABS)[number];

const LaterRankCharts = prefetched(
  async () => (await import("@/shared/telemetry/components/scoped-charts")).RankCharts,
);
const LaterJobDetails = prefetched(async () => (await import("./job-details")).JobDetails);
const LaterMetrics = prefetched(
  async () => (await import("@/shared/metrics/components/metrics-tab")).MetricsTab,
);

interface JobPageProps {
  job: WorkloadDetail;
  /** Ids of the jobs whose metrics are shown beside its own, with commas between them. */
  compared?: string;
  onCompare?: (compared: string) => void;
  /** Buttons that open web apps on its outputs. */
  apps?: ReactNode;
  /** The files that it left. */
  outputs?: ReactNode;
  /** A button that publishes them. */
  publish?: ReactNode;
}

/** One job: its state and way, why it waits, its log, outputs and how it ended. */
export function JobPage({
  job,
  compared = "",
  onCompare = () => {},
  apps,
  outputs,
  publish,
}: JobPageProps) {
  const { t } = useTranslation(["jobs", "telemetry"]);
  const me = useMe();
  const run = runOf(job);
  const panes = {
    log: <LogView job={job} />,
    metrics: <LaterMetrics job={job} compared={compared} onCompare={onCompare} />,
    outputs: (
      <OutputsTab
        jobId={job.id}
        mayUse={canSubmitIn(me, job.group.id)}
        publish={publish}
        apps={job.started_at && apps}
      >
        {outputs}
      </OutputsTab>
    ),
    usage: run ? (
      <LaterRankCharts id={job.id} replicas={job.replicas} run={run} />
    ) : (
      <p className="quiet">{t("telemetry:empty.text")}</p>
    ),
    events: <LaterEvents workloadId={job.id} />,
    details: <LaterJobDetails job={job} />,
  } satisfies Record<JobTab, ReactNode>;
  return (
    <>
      <WorkloadHeader workload={job} actions={<JobActions job={job} />} />
      <div className="stack">
        <SharedWithMe workload={job} />
        <OwnerNotice workload={job} />
        <Timeline workload={job} />
        <PendingRequest workload={job} />
        <JobEnd job={job} />
        <Checkpoint job={job} />
        <SilentNodes workload={job} />
        <ShortDisks workload={job} />
        <WaitingPanel workload={job} />
        <AdvicePanel workload={job} />
      </div>
      <PageTabs
        label={job.name}
        tabs={JOB_TABS.map((key) => ({ key, label: t(`tab.${key}`), content: panes[key] }))}
      />
    </>
  );
}

/** What is done next with a job of this state, and its end; everything else is behind one button. */
function JobActions({ job }: { job: WorkloadDetail }) {
  const me = useMe();
  const mayStop = canStop(me, job);
  return (
    <>
      <NextAction job={job} />
      {isStoppable(job.state) && mayStop && <CancelButton jobId={job.id} />}
      {(canSubmitIn(me, job.group.id) || mayStop) && <SeldomActions job={job} />}
    </>
  );
}

/** The main action: to look inside while it runs, to let it start, to do the same again. */
function NextAction({ job }: { job: WorkloadDetail }) {
  const { t } = useTranslation("jobs");
  const me = useMe();
  if (isTerminal(job.state)) return <SubmitAgain job={job} isPrimary />;
  if (isWaitingForRelease(job)) return canStop(me, job) && <QueueActions job={job} />;
  if (job.state !== "running" || !isMineToOpen(me, job)) return null;
  return (
    <>
      <PortButtons workload={job} />
      <LinkButton to="/jobs/$id/terminal" params={{ id: job.id }}>
        {t("terminal")}
      </LinkButton>
    </>
  );
}

function SeldomActions({ job }: { job: WorkloadDetail }) {
  const { t } = useTranslation("jobs");
  const me = useMe();
  return (
    <MoreActions size="middle" label={t("more")}>
      <ExtendButton workload={job} />
      <ChangeButton workload={job} />
      {!isTerminal(job.state) && <SubmitAgain job={job} isPrimary={false} />}
      {canSubmitIn(me, job.group.id) && (
        <LinkButton isPrimary={false} to="/notebooks/new" search={{ job: job.id }}>
          {t("openNotebook")}
        </LinkButton>
      )}
      {canStop(me, job) && !isWaitingForRelease(job) && <QueueActions job={job} />}
    </MoreActions>
  );
}

function isWaitingForRelease(job: WorkloadDetail): boolean {
  return job.state === "queued" && isHeld(job);
}

/** The way to an equal job; of one that failed, its panel has it. */
function SubmitAgain({ job, isPrimary }: { job: WorkloadDetail; isPrimary: boolean }) {
  const { t } = useTranslation("jobs");
  const maySubmit = canSubmitIn(useMe(), job.group.id);
  if (job.state === "failed" || !maySubmit) return null;
  return (
    <LinkButton isPrimary={isPrimary} to="/jobs/new" search={{ from: job.id }}>
      {t("again")}
    </LinkButton>
  );
}

/** When it has last saved itself; once it has ended without success, the way to a job that goes on from there. */
function Checkpoint({ job }: { job: WorkloadDetail }) {
  const { t } = useTranslation("jobs");
  const me = useMe();
  if (!job.checkpointed_at) return null;
  const isOver = isTerminal(job.state);
  const goesOn = isOver && job.state !== "succeeded" && canSubmitIn(me, job.group.id);
  return (
    <p data-testid="checkpoint" style={{ margin: 0 }}>
      {t("checkpoint.newest")} <Age at={job.checkpointed_at} />
      {!isOver && <span className="quiet"> · {t("checkpoint.again")}</span>}
      {goesOn && (
        <>
          {" "}
          <LinkButton
            isPrimary={false}
            size="small"
            to="/jobs/new"
            search={{ from: job.id, outputs: job.id }}
          >
            {t("checkpoint.goOn")}
          </LinkButton>
        </>
      )}
    </p>
  );
}

interface OutputsTabProps {
  jobId: string;
  mayUse: boolean;
  publish: ReactNode;
  apps: ReactNode;
  children: ReactNode;
}

/** The files that a job left, and what to do with all of them: mount them in another job, publish or show them. */
function OutputsTab({ jobId, mayUse, publish, apps, children }: OutputsTabProps) {
  const { t } = useTranslation("jobs");
  return (
    <div className="stack">
      {mayUse && (
        <Flex gap={8} wrap>
          <LinkButton isPrimary={false} to="/jobs/new" search={{ outputs: jobId }}>
            {t("outputs.use")}
          </LinkButton>
          {publish}
          {apps}
        </Flex>
      )}
      {children}
    </div>
  );
}
