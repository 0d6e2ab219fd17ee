import { createFileRoute } from "@tanstack/react-router";
import { LoadFault } from "@/app/faults";
import { useNode } from "@/features/nodes/api/nodes";
import { NodePage as Page } from "@/features/nodes/components/node-page";
import { useClusterUpdates } from "@/shared/cluster/api/cluster";
import { Loading } from "@/shared/ui/query-states";

export const Route = createFileRoute("/_shell/nodes/$id")({ component: NodePage });

function NodePage() {
  const { id } = Route.useParams();
  const node = useNode(id);
  useClusterUpdates();
  if (node.data) return <Page node={node.data} />;
  if (node.isPending) return <Loading rows={8} />;
  return <LoadFault error={node.error} onRetry={() => void node.refetch()} />;
}
