import { useSyncExternalStore } from "react";

const TICK_MS = 1_000;

let current = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time of day, renewed every second by one timer for the whole page. */
export function useNow(): Date {
  return new Date(useSyncExternalStore(subscribe, () => current));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    current = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  current = Date.now();
  for (const listener of listeners) listener();
}
