import { createFileRoute } from "@tanstack/react-router";
import { LoadFault } from "@/app/faults";
import { useJob } from "@/features/jobs/api/jobs";
import { TerminalPage } from "@/features/terminal/components/terminal-page";
import { Loading } from "@/shared/ui/query-states";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/jobs/$id_/terminal")({ component: JobTerminal });

function JobTerminal() {
  const { id } = Route.useParams();
  const job = useJob(id);
  useWorkloadUpdates(id);
  if (job.data) return <TerminalPage workload={job.data} kind="jobs" />;
  if (job.isPending) return <Loading rows={8} />;
  return <LoadFault error={job.error} onRetry={() => void job.refetch()} />;
}
