import { Alert, Button } from "antd";
import type { ReactNode } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canChange, canStop, canSubmitIn, isMineToOpen } from "@/shared/session/roles";
import { SharedWithMe } from "@/shared/sharing/components/sharing";
import { ChangeButton, PendingRequest } from "@/shared/submission/components/change-buttons";
import { UsageCharts } from "@/shared/telemetry/components/usage-charts";
import { runOf } from "@/shared/telemetry/model/ranges";
import { Confirm } from "@/shared/ui/confirm-button";
import { prefetched } from "@/shared/ui/opening";
import { LinkButton } from "@/shared/ui/page";
import { PageTabs } from "@/shared/ui/page-tabs";
import { useProblemMessage } from "@/shared/ui/query-states";
import { AdvicePanel } from "@/shared/workload/components/advice";
import { OpenButton } from "@/shared/workload/components/open-button";
import { useCauseSentence } from "@/shared/workload/components/sentences";
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
import { isOnTheWay, isStartFault, isStoppable } from "@/shared/workload/model/lifecycle";
import { nodeWords } from "@/shared/workload/model/reasons";
import { type NotebookAction, useNotebookAction } from "../api/notebooks";
import type { StartFrom } from "../model/notebook";
import { IdleBanner } from "./idle-banner";
import { StopSoon } from "./schedule-panel";
import { StartAndReturn } from "./start-and-return";

const LaterNotebookDetails = prefetched(
  async () => (await import("./notebook-tabs")).NotebookDetails,
);
const LaterAccess = prefetched(async () => (await import("./notebook-tabs")).NotebookAccess);

interface NotebookPageProps {
  notebook: WorkloadDetail;
  /** Where to go back to once it runs, for a reader who came from its stopped tab. */
  start?: StartFrom | undefined;
  /** Saving it as an image, which is of another feature. */
  imageSave?: ReactNode;
}

/** One notebook: what state it is in, how it got there, and what can be done. */
export function NotebookPage({ notebook, start, imageSave }: NotebookPageProps) {
  const { t } = useTranslation(["notebooks", "telemetry"]);
  const run = runOf(notebook);
  // The charts stand there before it runs, so that its details do not move when it does.
  const isStarting = isOnTheWay(notebook.state) && notebook.reasons.length === 0;
  const usage =
    run || isStarting ? (
      <UsageCharts subject={{ kind: "workload", id: notebook.id }} run={run} />
    ) : (
      <p className="quiet">{t("telemetry:empty.text")}</p>
    );
  const tabs = [
    { key: "usage", label: t("tab.usage"), content: usage },
    {
      key: "details",
      label: t("tab.details"),
      content: <LaterNotebookDetails notebook={notebook} />,
    },
    {
      key: "access",
      label: t("tab.access"),
      content: <LaterAccess notebook={notebook}>{imageSave}</LaterAccess>,
    },
    { key: "events", label: t("tab.events"), content: <LaterEvents workloadId={notebook.id} /> },
  ];
  return (
    <>
      <WorkloadHeader workload={notebook} actions={<NotebookActions notebook={notebook} />} />
      <div className="stack">
        {start !== undefined && <StartAndReturn notebook={notebook} from={start} />}
        <SharedWithMe workload={notebook} />
        <OwnerNotice workload={notebook} />
        <Progress notebook={notebook} />
        <PendingRequest workload={notebook} />
        <IdleBanner notebook={notebook} />
        <StopSoon notebook={notebook} />
        <SilentNodes workload={notebook} />
        <ShortDisks workload={notebook} />
        <WaitingPanel workload={notebook} />
        <AdvicePanel workload={notebook} />
      </div>
      <PageTabs label={notebook.name} tabs={tabs} />
    </>
  );
}

function Progress({ notebook }: { notebook: WorkloadDetail }) {
  const { t } = useTranslation("notebooks");
  const causeSentence = useCauseSentence();
  const { state, cause, cause_params } = notebook;
  if (isOnTheWay(state) || state === "running") return <Timeline workload={notebook} />;
  if (state === "failed" || (state === "suspended" && isStartFault(cause))) {
    return <NotStarted notebook={notebook} />;
  }
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

/** Why it did not start, and what helps. */
function NotStarted({ notebook }: { notebook: WorkloadDetail }) {
  const { t } = useTranslation("notebooks");
  const causeSentence = useCauseSentence();
  const { state, cause, cause_params } = notebook;
  const { code } = nodeWords(String(cause_params.detail ?? ""));
  return (
    <Alert
      showIcon
      type="error"
      role="status"
      data-testid="not-started"
      title={t("notStarted.title", { cause: causeSentence(cause, cause_params) })}
      description={
        <>
          {t(code === "dataset_missing" ? "notStarted.dataset_missing" : "notStarted.other")}
          {state === "suspended" && ` ${t("notStarted.kept")}`}
        </>
      }
    />
  );
}

/** What may be done with the notebook in its present state; the likeliest comes first. */
function NotebookActions({ notebook }: { notebook: WorkloadDetail }) {
  const { t } = useTranslation("notebooks");
  const showProblem = useProblemMessage();
  const me = useMe();
  const action = useNotebookAction(notebook.id);
  const { state, is_ready, held_by } = notebook;
  const isMineToStop = canStop(me, notebook);
  const isOpenToMe = isMineToOpen(me, notebook);
  const run = (name: NotebookAction) => action.mutate(name, { onError: showProblem });
  const isPending = (name: NotebookAction) => action.isPending && action.variables === name;
  return (
    <>
      {state === "running" && isOpenToMe && (
        <LinkButton isPrimary={false} to="/notebooks/$id/terminal" params={{ id: notebook.id }}>
          {t("terminal")}
        </LinkButton>
      )}
      {is_ready && isOpenToMe && <PortButtons workload={notebook} />}
      {is_ready && isOpenToMe && <OpenButton workload={notebook} />}
      {(state === "suspended" || (state === "queued" && held_by)) && canChange(me, notebook) && (
        <Button type="primary" loading={isPending("start")} onClick={() => run("start")}>
          {t("start")}
        </Button>
      )}
      {canSubmitIn(me, notebook.group.id) && (
        <LinkButton isPrimary={false} to="/jobs/new" search={{ notebook: notebook.id }}>
          {t("runAsJob")}
        </LinkButton>
      )}
      <ChangeButton workload={notebook} />
      {isStoppable(state) && isMineToStop && (
        <Confirm
          placement="bottomRight"
          title={t("stopQuestion")}
          description={t("stopAbout")}
          okText={t("stopConfirm")}
          cancelText={t("keep")}
          onConfirm={() => run("stop")}
        >
          <Button loading={isPending("stop")}>{t("stop")}</Button>
        </Confirm>
      )}
      {(state === "suspended" || state === "queued") && isMineToStop && (
        <Confirm
          placement="bottomRight"
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
        </Confirm>
      )}
    </>
  );
}
