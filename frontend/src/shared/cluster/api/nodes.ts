/** The nodes: all of them are read once, then only those that change. */
import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type { Node } from "@/shared/api/types";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import { clusterKeys, usePools } from "./cluster";

/** So many the server lists by their ids. */
const IDS_MAX = 50;

/** The first change is shown at once; a site where something changes all the time is read once in this time. */
const PAUSE_MS = 1_000;

export const nodeList = queryOptions({ queryKey: clusterKeys.nodeList, queryFn: readNodes });

/** All nodes with their cards and who holds them. */
export function useNodes(enabled = true) {
  return useQuery({ ...nodeList, enabled, refetchInterval: useFallbackInterval() });
}

/** With more GPUs than these a strip for each says less than their sum, and costs every reader all nodes. */
const STRIPS_MAX = 256;

/** Whether the site is small enough to show each of its GPUs; not before that is known. */
export function useHasStrips(): boolean {
  const gpus = usePools().data?.reduce((sum, { capacity }) => sum + capacity.gpus_total, 0);
  return gpus !== undefined && gpus <= STRIPS_MAX;
}

/** The nodes, where the site is small enough to show each of its GPUs. */
export function useNodesForStrips() {
  const hasStrips = useHasStrips();
  return { hasStrips, nodes: useNodes(hasStrips) };
}

/** Keep capacity, nodes and quotas fresh while a page shows them. */
export function useClusterUpdates(): void {
  const client = useQueryClient();
  const renewed = useRef(Promise.resolve());
  const pools = usePools().data ?? [];
  useTopics(["nodes"], [clusterKeys.nodes], {
    pauseMs: PAUSE_MS,
    fetchRows: (ids) => {
      // One after the other, or an older answer could come last.
      renewed.current = renewed.current.then(() => renew(client, ids));
    },
  });
  useTopics(
    ["nodes", ...pools.map(({ id }) => `pool:${id}`)],
    [clusterKeys.pools, clusterKeys.allQuotas],
    { pauseMs: PAUSE_MS },
  );
}

async function readNodes(): Promise<Node[]> {
  const found: Node[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor ? { cursor } : {});
    found.push(...page.results);
    cursor = nextCursor(page);
  } while (cursor);
  return found;
}

function readPage(query: { ids?: string[]; cursor?: string }) {
  const querySerializer = { array: { style: "form", explode: false } } as const;
  return unwrap(api.GET("/api/v1/nodes", { params: { query }, querySerializer }));
}

/** Fetch these nodes again: in the list, and by itself the one that a page shows. */
async function renew(client: QueryClient, ids: ReadonlySet<string>): Promise<void> {
  for (const id of ids) void client.invalidateQueries({ queryKey: clusterKeys.node(id) });
  const { queryKey } = nodeList;
  const isShown = client.getQueryCache().find({ queryKey, exact: true })?.isActive();
  const readAll = () => client.invalidateQueries({ queryKey, exact: true });
  if (!isShown || ids.size > IDS_MAX) return readAll();
  try {
    // One that is on its way may have read them before they changed.
    await client.fetchQuery({ ...nodeList, staleTime: Number.POSITIVE_INFINITY });
    const changed = await readPage({ ids: [...ids] });
    client.setQueryData(queryKey, (nodes = []) => [
      ...nodes.filter(({ id }) => !ids.has(id)),
      ...changed.results,
    ]);
  } catch {
    await readAll();
  }
}
