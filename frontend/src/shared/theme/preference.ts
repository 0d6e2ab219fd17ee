/** Light, dark or the system's theme; kept per browser. */
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
type ThemeName = (typeof THEMES)[number];

const STORAGE_KEY = "berth.theme";
const listeners = new Set<() => void>();

export function useThemeName(): ThemeName {
  return useSyncExternalStore(subscribe, storedTheme);
}

export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

/** Whether the reader asked the system for less motion. */
export function useIsCalm(): boolean {
  return useSyncExternalStore(subscribeCalm, () => systemIsCalm().matches);
}

export function chooseTheme(name: ThemeName): void {
  localStorage.setItem(STORAGE_KEY, name);
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

function storedTheme(): ThemeName {
  const stored = localStorage.getItem(STORAGE_KEY);
  return THEMES.find((name) => name === stored) ?? "system";
}

function isDark(): boolean {
  const name = storedTheme();
  return name === "dark" || (name === "system" && systemIsDark().matches);
}

function systemIsDark(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}

function systemIsCalm(): MediaQueryList {
  return matchMedia("(prefers-reduced-motion: reduce)");
}

function subscribeCalm(listener: () => void): () => void {
  const system = systemIsCalm();
  system.addEventListener("change", listener);
  return () => system.removeEventListener("change", listener);
}

function subscribe(listener: () => void): () => void {
  const system = systemIsDark();
  const follow = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    listener();
  };
  listeners.add(listener);
  system.addEventListener("change", follow);
  return () => {
    listeners.delete(listener);
    system.removeEventListener("change", follow);
  };
}
