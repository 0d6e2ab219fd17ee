import { Button, Popconfirm } from "antd";
import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { useMe } from "@/shared/session/me";
import { canStop, canSubmitIn } from "@/shared/session/roles";
import { ChangeButton } from "@/shared/submission/components/change-button";
import { ExtendButton, PendingRequest } from "@/shared/submission/components/extend-button";
import { UsageCharts } from "@/shared/telemetry/components/usage-charts";
import { LinkButton, Panel } from "@/shared/ui/page";
import { useProblemMessage } from "@/shared/ui/query-states";
import { AdvicePanel } from "@/shared/workload/components/advice";
import { EventList } from "@/shared/workload/components/event-list";
import { useCauseSentence } from "@/shared/workload/components/sentences";
import { Timeline } from "@/shared/workload/components/timeline";
import { WaitingPanel } from "@/shared/workload/components/waiting-panel";
import {
  PortButtons,
  ShortDisks,
  WorkloadFacts,
  WorkloadHeader,
} from "@/shared/workload/components/workload-page";
import { isOnTheWay, isStoppable } from "@/shared/workload/model/lifecycle";
import { type EnvironmentAction, useEnvironmentAction } from "../api/environments";
import { IdleBanner } from "./idle-banner";
import { OpenButton } from "./open-button";
import { SchedulePanel } from "./schedule-panel";

/** One notebook: what state it is in, how it got there, and what can be done. */
export function EnvironmentPage({ environment }: { environment: WorkloadDetail }) {
  const { t } = useTranslation(["environments", "telemetry"]);
  return (
    <>
      <WorkloadHeader
        workload={environment}
        actions={<EnvironmentActions environment={environment} />}
      />
      <div className="stack">
        <Progress environment={environment} />
        <PendingRequest workload={environment} />
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
          <SchedulePanel environment={environment} />
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

/** What may be done with the notebook in its present state; the likeliest comes first. */
function EnvironmentActions({ environment }: { environment: WorkloadDetail }) {
  const { t } = useTranslation("environments");
  const showProblem = useProblemMessage();
  const me = useMe();
  const action = useEnvironmentAction(environment.id);
  const { state, owner, is_ready } = environment;
  const isMineToStop = canStop(me, environment);
  const run = (name: EnvironmentAction) => action.mutate(name, { onError: showProblem });
  const isPending = (name: EnvironmentAction) => action.isPending && action.variables === name;
  return (
    <>
      {state === "running" && owner.id === me.id && (
        <LinkButton isPrimary={false} to="/notebooks/$id/terminal" params={{ id: environment.id }}>
          {t("terminal")}
        </LinkButton>
      )}
      {is_ready && owner.id === me.id && <PortButtons workload={environment} />}
      {is_ready && owner.id === me.id && <OpenButton environmentId={environment.id} />}
      {state === "suspended" && canSubmitIn(me, environment.group.id) && (
        <Button type="primary" loading={isPending("start")} onClick={() => run("start")}>
          {t("start")}
        </Button>
      )}
      <ExtendButton workload={environment} />
      <ChangeButton workload={environment} />
      {isStoppable(state) && isMineToStop && (
        <Popconfirm
          title={t("stopQuestion")}
          description={t("stopAbout")}
          okText={t("stopConfirm")}
          cancelText={t("keep")}
          onConfirm={() => run("stop")}
        >
          <Button loading={isPending("stop")}>{t("stop")}</Button>
        </Popconfirm>
      )}
      {(state === "suspended" || state === "queued") && isMineToStop && (
        <Popconfirm
          title={t("deleteQuestion")}
          description={t("deleteAbout")}
          okText={t("deleteConfirm")}
          okButtonProps={{ danger: true }}
          cancelText={t("keep")}
          onConfirm={() => run("delete")}
        >
          <Button danger loading={isPending("delete")}>
            {t("delete")}
          </Button>
        </Popconfirm>
      )}
    </>
  );
}
