import { useTopics } from "@/shared/live/live";
import { clusterKeys } from "./keys";
import { usePools } from "./use-pools";

/** Keep capacity, nodes and quotas fresh while a page shows them. */
export function useClusterRings(): void {
  const pools = usePools().data ?? [];
  useTopics(
    ["nodes", ...pools.map(({ id }) => `pool:${id}`)],
    [clusterKeys.pools, clusterKeys.nodes, clusterKeys.allQuotas],
  );
}
