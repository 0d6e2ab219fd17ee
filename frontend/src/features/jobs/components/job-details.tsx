import { JOB } from "@/shared/api/kinds.gen";
import type { WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useConfig } from "@/shared/session/me";
import { SharePanel } from "@/shared/sharing/components/sharing";
import { useManifest } from "@/shared/submission/api/submission";
import { ReusePanel } from "@/shared/submission/components/reuse-panel";
import { commandLine } from "@/shared/submission/model/program";
import { curlOf } from "@/shared/submission/model/submission";
import { CodeBlock } from "@/shared/ui/code-block";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { SshPanel } from "@/shared/workload/components/ssh-panel";
import { WorkloadFacts } from "@/shared/workload/components/workload-facts";

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
          <QueryBoundary query={useManifest(JOB.kind, job.id)}>
            {(body) => (
              <CodeBlock
                label={t("submission:curl")}
                text={curlOf(portalUrl, "/api/v1/jobs", body)}
              />
            )}
          </QueryBoundary>
        </Panel>
        <SshPanel workload={job} />
        {job.spec.ports.length > 0 && <SharePanel workload={job} />}
        <ReusePanel workload={job} />
      </div>
    </div>
  );
}

/** What the job runs, as it was submitted. */
function Program({ job: { spec } }: { job: WorkloadDetail }) {
  const { t } = useTranslation("jobs");
  if (spec.script) return <CodeBlock label={t("form.script")} text={spec.script} />;
  if (!spec.command?.length) return null;
  return <CodeBlock label={t("form.command")} text={commandLine(spec.command)} />;
}
