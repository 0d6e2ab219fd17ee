/** Whether this browser itself shows what is new in the inbox; kept per browser, which asks its reader for consent. */
import { useSyncExternalStore } from "react";

type BrowserNoticeState = "on" | "off" | "blocked" | "missing";

const STORAGE_KEY = "berth.browserNotices";
const listeners = new Set<() => void>();

export function useBrowserNotices(): BrowserNoticeState {
  return useSyncExternalStore(subscribe, browserNotices);
}

/** Asks for consent where it was not given yet. */
export async function chooseBrowserNotices(isOn: boolean): Promise<void> {
  if (isOn) await Notification.requestPermission();
  localStorage.setItem(STORAGE_KEY, isOn ? "on" : "off");
  for (const listener of listeners) listener();
}

function browserNotices(): BrowserNoticeState {
  if (!("Notification" in window)) return "missing";
  if (Notification.permission === "denied") return "blocked";
  const isOn = localStorage.getItem(STORAGE_KEY) === "on" && Notification.permission === "granted";
  return isOn ? "on" : "off";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
