/** The page's socket: how often pages fetch without it, and which queries a topic invalidates. */
import {
  type Query,
  type QueryClient,
  type QueryKey,
  type QueryState,
  useQueryClient,
} from "@tanstack/react-query";
import { createContext, use, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Listed } from "./listed.gen";
import { type LinkState, LiveSocket } from "./socket";

const FALLBACK_MS = 15_000;

export const LiveContext = createContext<LiveSocket>(new LiveSocket());

export function useLinkState(): LinkState {
  const socket = use(LiveContext);
  return useSyncExternalStore(socket.watch, () => socket.state);
}

const PATIENCE_MS = 4_000;

/** Whether there has been no live connection for some seconds: readers should know then. */
export function useIsLost(): boolean {
  const isOpen = useLinkState() === "open";
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (isOpen) {
      setLost(false);
      return undefined;
    }
    const timer = setTimeout(() => setLost(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isOpen]);
  return isLost;
}

/** How often pages fetch: without a socket nothing notifies them, so every 15 s. */
export function useFallbackInterval(): number | false {
  return useLinkState() === "open" ? false : FALLBACK_MS;
}

/** Ask after the connection when the page becomes visible or the network returns; give it up with the network. */
export function useReconnect(): void {
  const socket = use(LiveContext);
  useEffect(() => {
    const check = () => {
      if (document.visibilityState === "visible") socket.check();
    };
    const lose = () => socket.lose();
    document.addEventListener("visibilitychange", check);
    window.addEventListener("online", check);
    window.addEventListener("offline", lose);
    return () => {
      document.removeEventListener("visibilitychange", check);
      window.removeEventListener("online", check);
      window.removeEventListener("offline", lose);
    };
  }, [socket]);
}

/** Changes within this time cause one fetch: they come in groups. */
const GATHER_MS = 100;
/** How old an answer may be when it arrives. */
const ANSWER_MS = 2_000;

interface TopicOptions {
  pauseMs?: number;
  /** Fetches only these rows again, where the server names those that changed. */
  fetchRows?: (rows: ReadonlySet<string>) => void;
}

/**
 * Fetch the queries of `keys` again whenever the server publishes a change of one of `topics`, at
 * most once in `pauseMs`, but for what was read after the change.
 */
export function useTopics(
  topics: readonly string[],
  keys: readonly QueryKey[],
  { pauseMs = GATHER_MS, fetchRows }: TopicOptions = {},
): void {
  const socket = use(LiveContext);
  const client = useQueryClient();
  const latest = useRef({ keys, fetchRows });
  useEffect(() => {
    latest.current = { keys, fetchRows };
  });
  const names = topics.toSorted().join(" ");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let changedAt = 0;
    let fetchedAt = 0;
    /** The rows that changed; null is all of them. */
    let rows: Set<string> | null = new Set();
    const fetchAgain = () => {
      timer = undefined;
      fetchedAt = Date.now();
      const changed = rows;
      rows = new Set();
      if (changed && latest.current.fetchRows) return latest.current.fetchRows(changed);
      for (const queryKey of latest.current.keys) fetchOlder(client, queryKey, changedAt);
    };
    const ring = (at: number, changed?: readonly string[]) => {
      rows = rows && changed ? new Set([...rows, ...changed]) : null;
      changedAt = Math.max(changedAt, at);
      timer ??= setTimeout(fetchAgain, Math.max(GATHER_MS, fetchedAt + pauseMs - Date.now()));
    };
    const leave = names
      .split(" ")
      .flatMap((topic) => (topic ? [socket.subscribe(topic, ring)] : []));
    return () => {
      clearTimeout(timer);
      for (const stop of leave) stop();
    };
  }, [socket, client, names, pauseMs]);
}

/** Many rows may change at once: their lists are fetched once in this time. */
const LIST_MS = 1_000;

/** Fetch the lists of `keys` again when somebody changes a row of these kinds. */
export function useListChanges(kinds: readonly Listed[], keys: readonly QueryKey[]): void {
  const topics = kinds.map((kind) => `changed:${kind}`);
  useTopics(topics, keys, { pauseMs: LIST_MS });
}

/** When queries were last fetched again for a change: another part of the page may ask for the same. */
const askedAt = new WeakMap<Query, number>();

/** Fetch again what may have been read before a change. */
function fetchOlder(client: QueryClient, queryKey: QueryKey, changedAt: number): void {
  const isDue = (query: Query) =>
    (askedAt.get(query) ?? 0) < changedAt && mayBeOlder(query.state, changedAt);
  const due = new Set(client.getQueryCache().findAll({ queryKey, predicate: isDue }));
  for (const query of due) askedAt.set(query, Date.now());
  void client.invalidateQueries({ queryKey, predicate: (query) => due.has(query) });
}

/** Whether an answer, or one that is on its way, may have been read before a change. */
function mayBeOlder({ dataUpdatedAt, fetchStatus }: QueryState, changedAt: number): boolean {
  const arrivedAt = fetchStatus === "fetching" ? Date.now() : dataUpdatedAt;
  return arrivedAt - ANSWER_MS < changedAt;
}
