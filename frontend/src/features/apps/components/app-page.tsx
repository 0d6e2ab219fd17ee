import { Link } from "@tanstack/react-router";
import { Alert, Button } from "antd";
import type { ReactNode } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canStop, canSubmitIn, isMineToOpen } from "@/shared/session/roles";
import { SharedWithMe, SharePanel } from "@/shared/sharing/components/sharing";
import { Panel } from "@/shared/ui/page";
import { useProblemMessage } from "@/shared/ui/query-states";
import { AppIcon } from "@/shared/workload/components/app-mark";
import { EventList } from "@/shared/workload/components/event-list";
import { OpenButton } from "@/shared/workload/components/open-button";
import { useCauseSentence } from "@/shared/workload/components/sentences";
import { Timeline } from "@/shared/workload/components/timeline";
import { WaitingPanel } from "@/shared/workload/components/waiting-panel";
import { WorkloadFacts } from "@/shared/workload/components/workload-facts";
import { SilentNodes, WorkloadHeader } from "@/shared/workload/components/workload-page";
import { isStoppable, isTerminal } from "@/shared/workload/model/lifecycle";
import { useStartApp } from "../api/apps";
import { sameAgain } from "../model/app";
import { CloseButton } from "./app-buttons";

/** What a shell answers where a program does not exist. */
const PROGRAM_MISSING = 127;

interface AppPageProps {
  session: WorkloadDetail;
  log: ReactNode;
}

/** One session of a web app: what it shows, its state and way, why it waits or ended. */
export function AppPage({ session, log }: AppPageProps) {
  const { t } = useTranslation("apps");
  return (
    <>
      <WorkloadHeader workload={session} actions={<SessionActions session={session} />} />
      <div className="stack">
        <SharedWithMe workload={session} />
        <ShownFolder session={session} />
        <Timeline workload={session} />
        <SessionEnd session={session} />
        <SilentNodes workload={session} />
        <WaitingPanel workload={session} />
        <div className="columns">
          <Panel title={t("detailsTitle")}>
            <WorkloadFacts workload={session} />
          </Panel>
          <Panel title={t("eventsTitle")}>
            <EventList workloadId={session.id} />
          </Panel>
        </div>
        <SharePanel workload={session} />
        <Panel title={t("logTitle")}>{log}</Panel>
      </div>
    </>
  );
}

function SessionActions({ session }: { session: WorkloadDetail }) {
  const { t } = useTranslation("apps");
  const me = useMe();
  const showProblem = useProblemMessage();
  const start = useStartApp();
  const again = sameAgain(session);
  const isLive = isStoppable(session.state);
  return (
    <>
      {isLive && isMineToOpen(me, session) && <OpenButton workload={session} />}
      {isLive && canStop(me, session) && <CloseButton sessionId={session.id} />}
      {isTerminal(session.state) && again && canSubmitIn(me, session.group.id) && (
        <Button
          type="primary"
          loading={start.isPending}
          onClick={() => start.mutate(again, { onError: showProblem })}
        >
          {t("startAgain")}
        </Button>
      )}
    </>
  );
}

/** Which app shows which folder. */
function ShownFolder({ session: { app, shows } }: { session: WorkloadDetail }) {
  const { t } = useTranslation("apps");
  const language = useLanguage();
  if (!app || !shows) return null;
  const { kind, id, path } = shows;
  return (
    <p style={{ margin: 0 }} data-testid="app-shows">
      <AppIcon icon={app.icon} /> {titleOf(app, language)} ·{" "}
      {kind === "input" ? (
        <Link to="/jobs/$id" params={{ id }} search={{ tab: "outputs" }}>
          {t("ofJob")}
        </Link>
      ) : (
        <Link
          to="/files"
          search={{ ...(kind === "volume" && { volume: id }), ...(path && { path }) }}
        >
          {t(kind === "home" ? "ofHome" : "ofVolume")}
        </Link>
      )}
      {path && <code className="mono"> {path}</code>}
      {(kind === "input" || !app.writes) && ` · ${t("readOnly")}`}
    </p>
  );
}

/** How it ended, in words. */
function SessionEnd({ session }: { session: WorkloadDetail }) {
  const { t } = useTranslation("apps");
  const language = useLanguage();
  const causeSentence = useCauseSentence();
  const { state, cause, cause_params, exit_code, app, image } = session;
  if (!isTerminal(state)) return null;
  if (exit_code === PROGRAM_MISSING && app) {
    return (
      <Alert
        type="error"
        showIcon
        title={t("lacks.title", { image: titleOf(image, language), app: titleOf(app, language) })}
        description={t("lacks.about")}
      />
    );
  }
  if (state === "failed") {
    return <Alert type="error" showIcon title={t("failed")} description={t("failedAbout")} />;
  }
  return <p style={{ margin: 0 }}>{causeSentence(cause, cause_params)}</p>;
}
