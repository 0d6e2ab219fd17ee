import { createFileRoute } from "@tanstack/react-router";
import { LoadFault } from "@/app/faults";
import { useJob } from "@/features/jobs/api/jobs";
import { JobPage as Job } from "@/features/jobs/components/job-page";
import { type JobTab, readJobTab } from "@/features/jobs/model/tabs";
import { Loading } from "@/shared/ui/query-states";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/jobs/$id")({
  validateSearch: (search: Record<string, unknown>): { tab?: JobTab } => readJobTab(search.tab),
  component: JobPage,
});

function JobPage() {
  const { id } = Route.useParams();
  const { tab } = Route.useSearch();
  const navigate = Route.useNavigate();
  const job = useJob(id);
  useWorkloadUpdates(id);
  const showTab = (next: JobTab) =>
    void navigate({ search: (old) => ({ ...old, tab: next }), replace: true });
  if (job.data) return <Job job={job.data} tab={tab ?? "log"} onTab={showTab} />;
  if (job.isPending) return <Loading rows={8} />;
  return <LoadFault error={job.error} onRetry={() => void job.refetch()} />;
}
