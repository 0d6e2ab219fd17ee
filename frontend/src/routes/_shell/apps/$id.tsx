import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useAppSession } from "@/features/apps/api/apps";
import { AppPage } from "@/features/apps/components/app-page";
import { LogView } from "@/features/jobs/components/log-view";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/apps/$id")({ component: AppRoute });

function AppRoute() {
  const { id } = Route.useParams();
  const session = useAppSession(id);
  useWorkloadUpdates(id);
  return (
    <EntityPage query={session}>
      {(session) => <AppPage session={session} log={<LogView job={session} />} />}
    </EntityPage>
  );
}
