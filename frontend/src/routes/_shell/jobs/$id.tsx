import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { StartAppButtons } from "@/features/apps/components/app-buttons";
import { PublishButton } from "@/features/datasets/components/publish-button";
import { OutputFiles } from "@/features/files/components/output-files";
import { type OutputSearch, readOutputSearch } from "@/features/files/model/paths";
import { useJob } from "@/features/jobs/api/jobs";
import { JobPage } from "@/features/jobs/components/job-page";
import { type JobTab, readJobTab } from "@/features/jobs/model/tabs";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";
import { isTerminal } from "@/shared/workload/model/lifecycle";

export const Route = createFileRoute("/_shell/jobs/$id")({
  validateSearch: (
    search: Record<string, unknown>,
  ): { tab?: JobTab; with?: string } & OutputSearch => ({
    ...readJobTab(search.tab),
    ...readOutputSearch(search),
    ...(typeof search.with === "string" && { with: search.with }),
  }),
  component: JobRoute,
});

function JobRoute() {
  const { id } = Route.useParams();
  const { tab, with: compared, ...place } = Route.useSearch();
  const navigate = Route.useNavigate();
  const job = useJob(id);
  useWorkloadUpdates(id);
  const showTab = (next: JobTab) =>
    void navigate({ search: (old) => ({ ...old, tab: next }), replace: true });
  const compare = (next: string) =>
    void navigate({
      search: ({ tab }) => ({ ...(tab && { tab }), ...(next && { with: next }) }),
      replace: true,
    });
  return (
    <EntityPage query={job}>
      {(job) => (
        <JobPage
          job={job}
          tab={tab ?? "log"}
          onTab={showTab}
          compared={compared ?? ""}
          onCompare={compare}
          apps={<StartAppButtons of={{ job: job.id }} />}
          outputs={
            <OutputFiles
              jobId={job.id}
              search={place}
              onSearch={(next) =>
                void navigate({
                  search: { tab: "outputs", ...(compared && { with: compared }), ...next },
                })
              }
            />
          }
          publish={
            isTerminal(job.state) && <PublishButton folder={{ job: job.id }} title={job.name} />
          }
        />
      )}
    </EntityPage>
  );
}
