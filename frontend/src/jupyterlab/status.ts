/** What Berth's gateway answers about the notebook, and what JupyterLab's status bar says of it. Pure. */
import { formatDuration, formatMemory } from "@/shared/i18n/format";
import type { Language } from "@/shared/i18n/language";
import en from "./locales/en.json";
import zh from "./locales/zh-CN.json";

/** An answer of `berth/status`; `portal/gateway/lab_status.py` writes it. */
export interface LabStatus {
  name: string;
  is_own: boolean;
  now: string;
  ends_at: string | null;
  gpu: {
    utilisation_pct: number | null;
    memory_mib: number | null;
    memory_limit_mib: number;
  } | null;
  idle: {
    next: "release" | "stop" | null;
    next_at: string | null;
    is_warned: boolean;
    keeps_left: number;
    keep_s: number;
    gpu_state: string;
  } | null;
  /** Unread news of its owner: what the portal's inbox shows. */
  notices: { id: string; text: string; url: string }[];
  page_url: string;
  job_form_url: string | null;
  language: Language;
}

/** What the notebook is about to lose because it is idle. */
export interface IdleLoss {
  loss: "release" | "stop";
  left: string;
}

/** Its end is near: it is shown as a warning from then on. */
const END_IS_NEAR_S = 30 * 60;
const PARKED: Record<string, string> = {
  releasing: "gpuReleased",
  released: "gpuReleased",
  requested: "gpuRequested",
};
const TEXTS = { en, "zh-CN": zh };

export function say(language: Language, key: string, values: Record<string, string> = {}): string {
  const found = key
    .split(".")
    .reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], TEXTS[language]);
  return String(found).replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
}

/** JupyterLab's own language where it is Chinese; its default says nothing, then the portal's. */
export function languageOf(labLanguage: string, portal: Language | undefined): Language {
  return labLanguage.toLowerCase().startsWith("zh") ? "zh-CN" : (portal ?? "en");
}

/** What its owner was warned of; null while there is nothing to fear. */
export function idleLoss({ idle, now }: LabStatus, language: Language): IdleLoss | null {
  if (!idle?.is_warned || !idle.next || !idle.next_at) return null;
  return { loss: idle.next, left: timeLeft(now, idle.next_at, language) };
}

/** The line of the status bar. */
export function statusLine(
  status: LabStatus,
  language: Language,
): { text: string; isUrgent: boolean } {
  const loss = idleLoss(status, language);
  const { now, ends_at } = status;
  const parts = [
    gpuPart(status, language),
    ends_at && say(language, "ends", { left: timeLeft(now, ends_at, language) }),
    loss && say(language, `loses.${loss.loss}`, { left: loss.left }),
  ];
  const isEnding = ends_at !== null && secondsBetween(now, ends_at) <= END_IS_NEAR_S;
  return { text: ["Berth", ...parts].filter(Boolean).join(" · "), isUrgent: !!loss || isEnding };
}

function gpuPart({ gpu, idle }: LabStatus, language: Language): string | null {
  const parked = PARKED[idle?.gpu_state ?? ""];
  if (parked) return say(language, parked);
  if (!gpu) return null;
  const { utilisation_pct, memory_mib, memory_limit_mib } = gpu;
  if (utilisation_pct === null || memory_mib === null) return null;
  return say(language, "gpuUse", {
    percent: String(Math.round(utilisation_pct)),
    used: formatMemory(memory_mib, language),
    limit: formatMemory(memory_limit_mib, language),
  });
}

/** To the minute, by the portal's clock. */
function timeLeft(now: string, then: string, language: Language): string {
  return formatDuration(Math.ceil(secondsBetween(now, then) / 60) * 60, language);
}

function secondsBetween(now: string, then: string): number {
  return Math.max(0, (Date.parse(then) - Date.parse(now)) / 1000);
}
