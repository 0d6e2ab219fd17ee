/** The page's socket, and what its state means for how often pages must ask by themselves. */
import { createContext, use, useSyncExternalStore } from "react";
import { type LinkState, LiveSocket } from "./socket";

const FALLBACK_MS = 15_000;

export const LiveContext = createContext<LiveSocket>(new LiveSocket());

export function useLinkState(): LinkState {
  const socket = use(LiveContext);
  return useSyncExternalStore(socket.watch, () => socket.state);
}

/** Without a socket nothing rings, so pages ask every 15 s. */
export function useFallbackInterval(): number | false {
  return useLinkState() === "open" ? false : FALLBACK_MS;
}
