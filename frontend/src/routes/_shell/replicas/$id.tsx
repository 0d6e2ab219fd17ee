import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { LogView } from "@/features/jobs/components/log-view";
import { useReplica } from "@/features/services/api/replicas";
import { ReplicaPage } from "@/features/services/components/replica-page";
import { useWorkloadUpdates } from "@/shared/workload/api/workloads";

export const Route = createFileRoute("/_shell/replicas/$id")({ component: ReplicaRoute });

function ReplicaRoute() {
  const { id } = Route.useParams();
  const replica = useReplica(id);
  useWorkloadUpdates(id);
  return (
    <EntityPage query={replica}>
      {(replica) => <ReplicaPage replica={replica} log={<LogView job={replica} />} />}
    </EntityPage>
  );
}
