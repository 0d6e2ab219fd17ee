import { createFileRoute } from "@tanstack/react-router";
import { PoolsPage } from "@/features/pools/components/pools-page";
import { nodeList } from "@/shared/cluster/api/nodes";

export const Route = createFileRoute("/_shell/pools")({
  // All nodes come in several answers: they are asked for while the page itself is on its way.
  loader: ({ context, cause }) => {
    if (cause === "enter") void context.queries.prefetchQuery(nodeList);
  },
  component: PoolsPage,
});
