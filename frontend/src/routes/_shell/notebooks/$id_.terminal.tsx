import { createFileRoute } from "@tanstack/react-router";
import { LoadFault } from "@/app/faults";
import { useEnvironment } from "@/features/environments/api/environments";
import { TerminalPage } from "@/features/terminal/components/terminal-page";
import { Loading } from "@/shared/ui/query-states";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/notebooks/$id_/terminal")({
  component: NotebookTerminal,
});

function NotebookTerminal() {
  const { id } = Route.useParams();
  const environment = useEnvironment(id);
  useWorkloadUpdates(id);
  if (environment.data) return <TerminalPage workload={environment.data} kind="environments" />;
  if (environment.isPending) return <Loading rows={8} />;
  return <LoadFault error={environment.error} onRetry={() => void environment.refetch()} />;
}
