import { createFileRoute } from "@tanstack/react-router";
import { LoadFault } from "@/app/faults";
import { useEnvironment } from "@/features/environments/api/environments";
import { EnvironmentPage } from "@/features/environments/components/environment-page";
import { Loading } from "@/shared/ui/query-states";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/notebooks/$id")({ component: NotebookPage });

function NotebookPage() {
  const { id } = Route.useParams();
  const environment = useEnvironment(id);
  useWorkloadUpdates(id);
  if (environment.data) return <EnvironmentPage environment={environment.data} />;
  if (environment.isPending) return <Loading rows={8} />;
  return <LoadFault error={environment.error} onRetry={() => void environment.refetch()} />;
}
