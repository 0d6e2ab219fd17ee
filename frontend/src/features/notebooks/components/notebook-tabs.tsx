/** The tabs of a notebook's page that are not shown first. */
import type { ReactNode } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { SharePanel } from "@/shared/sharing/components/sharing";
import { ExtendButton } from "@/shared/submission/components/change-buttons";
import { ReusePanel } from "@/shared/submission/components/reuse-panel";
import { Panel } from "@/shared/ui/page";
import { SshPanel } from "@/shared/workload/components/ssh-panel";
import { WorkloadFacts } from "@/shared/workload/components/workload-facts";
import { SchedulePanel } from "./schedule-panel";

interface NotebookTabProps {
  notebook: WorkloadDetail;
  children?: ReactNode;
}

/** What it asked for and has, when it runs, and the ways to use its settings again. */
export function NotebookDetails({ notebook }: NotebookTabProps) {
  const { t } = useTranslation("notebooks");
  return (
    <div className="columns">
      <Panel title={t("detailsTitle")} extra={<ExtendButton workload={notebook} />}>
        <WorkloadFacts workload={notebook} />
      </Panel>
      <div className="stack">
        <SchedulePanel notebook={notebook} />
        <ReusePanel workload={notebook} />
      </div>
    </div>
  );
}

/** The ways into it, for its owner and others, and as an image. */
export function NotebookAccess({ notebook, children }: NotebookTabProps) {
  return (
    <div className="stack">
      <SshPanel workload={notebook} />
      <SharePanel workload={notebook} />
      {children}
    </div>
  );
}
