/**
 * The nodes: all of them are read once, then only those that change. And the board: every card with its place
 * and holders, what waits for its pool, and what the cards measure.
 */
import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type { CardMap, Node } from "@/shared/api/types";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import { boardsOf } from "../model/board";
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

const PLACES = ["card-map"] as const;
const VALUES = ["card-values"] as const;
/** Nodes report all the time: the values of all of them are fetched once a second. */
const VALUES_MS = 1_000;
/** Holders of thousands of cards; a single change is shown at once. */
const PLACES_MS = 2_000;
/** Of a few hundred at most. */
const BOARD_MS = 500;
/** Work becomes idle without any event. */
const RENEW_MS = 60_000;

const cardMap = queryOptions({
  queryKey: PLACES,
  queryFn: () => unwrap(api.GET("/api/v1/card-map")),
  structuralSharing: false,
});

/** Where every card is and who holds it. */
export function useCardMap() {
  useTopics(["nodes"], [PLACES], { pauseMs: PLACES_MS });
  const fallback = useFallbackInterval();
  return useQuery({ ...cardMap, refetchInterval: fallback || RENEW_MS });
}

function withOrder(map: CardMap) {
  return { order: map.order, pools: boardsOf(map) };
}

/** The same, pool by pool with what waits for it, where the site is small enough to show each card. */
export function useBoard() {
  const hasStrips = useHasStrips();
  const pools = usePools().data ?? [];
  const topics = hasStrips ? ["nodes", ...pools.map(({ id }) => `pool:${id}`)] : [];
  useTopics(topics, [PLACES], { pauseMs: BOARD_MS });
  const fallback = useFallbackInterval();
  const board = useQuery({
    ...cardMap,
    select: withOrder,
    enabled: hasStrips,
    refetchInterval: fallback || RENEW_MS,
  });
  return { hasStrips, board };
}

/** What every card measures now, in the order of the map. */
export function useCardValues(enabled = true) {
  return useQuery({
    enabled,
    queryKey: VALUES,
    queryFn: () => unwrap(api.GET("/api/v1/card-map/values")),
    refetchInterval: useFallbackInterval(),
    structuralSharing: false,
  });
}

/** Keep the values fresh while a page shows them: once for each page, or they are fetched twice. */
export function useCardUpdates(pauseMs = VALUES_MS, enabled = true): void {
  useTopics(enabled ? ["cards"] : [], [VALUES], { pauseMs });
}
