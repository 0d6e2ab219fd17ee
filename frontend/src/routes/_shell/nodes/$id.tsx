import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useNode } from "@/features/nodes/api/nodes";
import { NodePage } from "@/features/nodes/components/node-page";
import { useClusterUpdates } from "@/shared/cluster/api/nodes";

export const Route = createFileRoute("/_shell/nodes/$id")({ component: NodeRoute });

function NodeRoute() {
  const { id } = Route.useParams();
  const node = useNode(id);
  useClusterUpdates();
  return <EntityPage query={node}>{(node) => <NodePage node={node} />}</EntityPage>;
}
