/** The page's socket: how often pages fetch without it, and which queries a topic invalidates. */
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { createContext, use, useEffect, useRef, useState, useSyncExternalStore } from "react";
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

/** Reconnect at once when the page becomes visible or the network returns. */
export function useReconnect(): void {
  const socket = use(LiveContext);
  useEffect(() => {
    const retry = () => {
      if (document.visibilityState === "visible" && socket.state === "down") socket.connect();
    };
    document.addEventListener("visibilitychange", retry);
    window.addEventListener("online", retry);
    return () => {
      document.removeEventListener("visibilitychange", retry);
      window.removeEventListener("online", retry);
    };
  }, [socket]);
}

/** Changes within this time cause one fetch: a busy pool changes many times a second. */
const GATHER_MS = 100;

/** Invalidate the queries of `keys` whenever the server publishes a change of one of `topics`. */
export function useTopics(
  topics: readonly string[],
  keys: readonly QueryKey[],
  gatherMs = GATHER_MS,
): void {
  const socket = use(LiveContext);
  const client = useQueryClient();
  const latestKeys = useRef(keys);
  useEffect(() => {
    latestKeys.current = keys;
  });
  const names = topics.toSorted().join(" ");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const fetchAgain = () => {
      timer = undefined;
      for (const queryKey of latestKeys.current) void client.invalidateQueries({ queryKey });
    };
    const ring = () => {
      timer ??= setTimeout(fetchAgain, gatherMs);
    };
    const leave = names
      .split(" ")
      .flatMap((topic) => (topic ? [socket.subscribe(topic, ring)] : []));
    return () => {
      clearTimeout(timer);
      for (const stop of leave) stop();
    };
  }, [socket, client, names, gatherMs]);
}
