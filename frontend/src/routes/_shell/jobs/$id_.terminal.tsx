import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useJob } from "@/features/jobs/api/jobs";
import { TerminalPage } from "@/features/terminal/components/terminal-page";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/jobs/$id_/terminal")({ component: JobTerminal });

function JobTerminal() {
  const { id } = Route.useParams();
  const job = useJob(id);
  useWorkloadUpdates(id);
  return <EntityPage query={job}>{(job) => <TerminalPage workload={job} />}</EntityPage>;
}
