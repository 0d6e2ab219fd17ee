import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { useConfig } from "@/shared/session/me";
import { curlOf } from "@/shared/submission/model/submission";
import { CodeBlock } from "@/shared/ui/code-block";
import { Panel } from "@/shared/ui/page";
import { WorkloadFacts } from "@/shared/workload/components/workload-page";
import { resubmission } from "../model/resubmission";
import { Program } from "./program";

/** What was asked for, what runs, and how a pipeline would ask for the same. */
export function JobDetails({ job }: { job: WorkloadDetail }) {
  const { t } = useTranslation(["jobs", "submission"]);
  const portalUrl = useConfig()?.portal_url ?? window.location.origin;
  return (
    <div className="columns">
      <Panel title={t("requestTitle")}>
        <WorkloadFacts workload={job} />
      </Panel>
      <div className="stack">
        <Panel title={t("programTitle")}>
          <Program job={job} />
        </Panel>
        <Panel title={t("submission:curl")}>
          <CodeBlock
            label={t("submission:curl")}
            text={curlOf(portalUrl, "/api/v1/jobs", resubmission(job))}
          />
        </Panel>
      </div>
    </div>
  );
}
