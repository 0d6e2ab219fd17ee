/** When a job starts again by itself and how it is warned, as people choose it. Pure. */
import type { JobInput } from "@/shared/api/types";
import type { JobForm } from "./draft";

/** The words are the server's. */
export const RESTART_RULES = ["on_infrastructure", "on_failure", "never"] as const;
export type RestartRule = (typeof RESTART_RULES)[number];
export const NOTICE_SIGNALS = [
  "SIGTERM",
  "SIGINT",
  "SIGHUP",
  "SIGUSR1",
  "SIGUSR2",
  "none",
] as const;
export type NoticeSignal = (typeof NOTICE_SIGNALS)[number];

const LAUNCHER_SIGNALS = ["none", "SIGTERM"];
const EXIT_CODE_MAX = 255;
const MINUTE_S = 60;

/** A launcher passes on no other signal, and most of them end it. */
export function passesSignal(launcher: string, signal: string): boolean {
  return launcher === "plain" || LAUNCHER_SIGNALS.includes(signal);
}

/** Exit codes of a program that did not end well. */
export function areExitCodes(typed: readonly string[]): boolean {
  return typed.every(
    (text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= EXIT_CODE_MAX,
  );
}

/** What the server is told: nothing where the product's default is meant, nothing that has no use. */
export function restartOf(form: JobForm): Pick<JobInput, "restart" | "retries_max"> {
  const { restart_rule: rule = "on_infrastructure", pause_minutes = 0 } = form;
  if (rule === "never") return { retries_max: 0, restart: { rule } };
  const codes = (typed: readonly string[] = []) => [...new Set(typed.map(Number))];
  return {
    retries_max: rule === "on_failure" ? (form.retries_max ?? 1) : 0,
    restart: {
      rule,
      ...(pause_minutes > 0 && { pause_s: Math.round(pause_minutes * MINUTE_S) }),
      ...(form.free_codes?.length && { free_codes: codes(form.free_codes) }),
      ...(rule === "on_failure" && {
        ...(form.final_codes?.length && { final_codes: codes(form.final_codes) }),
        ...(form.after_out_of_memory && { after_out_of_memory: true }),
      }),
    },
  };
}
