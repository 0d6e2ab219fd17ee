import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { StartAppButtons } from "@/features/apps/components/app-buttons";
import { PublishButton } from "@/features/datasets/components/publish-button";
import { type OutputSearch, readOutputSearch } from "@/features/files/model/paths";
import { useJob } from "@/features/jobs/api/jobs";
import { JobPage, type JobTab } from "@/features/jobs/components/job-page";
import { prefetched } from "@/shared/ui/opening";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";
import { isTerminal } from "@/shared/workload/model/lifecycle";

/** Not the tab that is shown first. */
const LaterOutputs = prefetched(
  async () => (await import("@/features/files/components/output-files")).OutputFiles,
);

type JobSearch = { tab?: JobTab; with?: string } & OutputSearch;

export const Route = createFileRoute("/_shell/jobs/$id")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as JobSearch,
  component: JobRoute,
});

function JobRoute() {
  const { id } = Route.useParams();
  const search = Route.useSearch();
  const compared = typeof search.with === "string" ? search.with : undefined;
  const place = readOutputSearch({ ...search });
  const navigate = Route.useNavigate();
  const job = useJob(id);
  useWorkloadUpdates(id);
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
          compared={compared ?? ""}
          onCompare={compare}
          apps={<StartAppButtons of={{ job: job.id }} />}
          outputs={
            <LaterOutputs
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
