import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useJob } from "@/features/jobs/api/jobs";
import { JobPage } from "@/features/jobs/components/job-page";
import { type JobTab, readJobTab } from "@/features/jobs/model/tabs";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/jobs/$id")({
  validateSearch: (search: Record<string, unknown>): { tab?: JobTab } => readJobTab(search.tab),
  component: JobRoute,
});

function JobRoute() {
  const { id } = Route.useParams();
  const { tab } = Route.useSearch();
  const navigate = Route.useNavigate();
  const job = useJob(id);
  useWorkloadUpdates(id);
  const showTab = (next: JobTab) =>
    void navigate({ search: (old) => ({ ...old, tab: next }), replace: true });
  return (
    <EntityPage query={job}>
      {(job) => <JobPage job={job} tab={tab ?? "log"} onTab={showTab} />}
    </EntityPage>
  );
}
