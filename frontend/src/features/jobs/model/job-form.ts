/** From what the form holds to what the server takes. Pure. */
import { JOB } from "@/shared/api/kinds.gen";
import type { DryRunInput, JobArrayInput, JobInput } from "@/shared/api/types";
import type { Priority } from "@/shared/cluster/api/limits";
import { momentAt } from "@/shared/i18n/clock";
import { isNotebook, parametersIn, scriptFor } from "@/shared/submission/model/files";
import { splitCommand } from "@/shared/submission/model/program";
import {
  type SubmissionValues,
  submissionDraft,
  submissionInput,
} from "@/shared/submission/model/submission";
import { type StartValues, startOf } from "./start";

/** What starts the processes of a rank; the words are the server's. */
export const LAUNCHERS = [
  "plain",
  "torchrun",
  "accelerate",
  "deepspeed",
  "mpi",
  "ray",
  "dask",
] as const;
export type Launcher = (typeof LAUNCHERS)[number];

export interface JobFormValues extends SubmissionValues, StartValues {
  way: "file" | "script" | "command";
  /** Of the home. */
  file?: string;
  /** What a notebook is run with: lines of `name=value`. */
  parameters?: string;
  script?: string;
  command?: string;
  replicas: number;
  launcher?: Launcher;
  priority: Priority;
  /** Local time as the browser's field writes it; empty is without an end. */
  priority_until?: string;
  preemptible: boolean;
  retries_max?: number;
  restart_rule?: RestartRule;
  notice_signal?: NoticeSignal;
  pause_minutes?: number;
  final_codes?: readonly string[];
  free_codes?: readonly string[];
  after_out_of_memory?: boolean;
}

export function jobInput(form: JobFormValues): JobInput | JobArrayInput {
  const { replicas, launcher = "plain", priority, notice_signal = "SIGTERM" } = form;
  const until = priority === "normal" ? "" : form.priority_until;
  return {
    ...submissionInput(form),
    ...programOf(form),
    replicas,
    ...(launcher !== "plain" && { launcher }),
    priority,
    ...(until && { priority_until: momentAt(until).toISOString() }),
    preemptible: mayBeInterrupted(form),
    ...(notice_signal !== "SIGTERM" && { notice_signal }),
    ...restartOf(form),
    ...startOf(form),
  };
}

function programOf(form: JobFormValues): Pick<JobInput, "script" | "command"> {
  const { way, file, parameters = "", script = "", command = "" } = form;
  if (way === "command") return { command: splitCommand(command).words };
  return { script: way === "file" && file ? scriptOf(file, parameters) : script };
}

/** What runs a file of the home; parameters that are not complete yet are left out. */
export function scriptOf(file: string, parameters: string): string {
  return scriptFor(file, isNotebook(file) ? (parametersIn(parameters) ?? []) : []);
}

const STEM_MAX = 40;
/** A program in a line of a shell: the last part of its path, without the end of its name. */
const PROGRAM = /([^\s/'"=]+)\.(?:py|sh|bash|ipynb|R|r|jl)\b/u;
const MODULE = /\s-m\s+([\w.]+)/;

/** The first part of a job's name: what it runs, as far as that can be seen. */
export function stemOf({ way, file, script = "", command = "" }: Partial<JobFormValues>): string {
  const line = way === "file" ? "" : way === "command" ? command : script;
  const [, found = ""] = PROGRAM.exec(line) ?? MODULE.exec(line) ?? [];
  const stem = (way === "file" && file ? nameFor(file) : found)
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .slice(0, STEM_MAX);
  return stem || "job";
}

/** The name of a file without its folder and its end. */
function nameFor(file: string): string {
  return file.replace(/^.*\//, "").replace(/(?!^)\.\w+$/, "");
}

/** What must not run twice cannot be queued again either. */
function mayBeInterrupted({ preemptible = false, restart_rule }: Partial<JobFormValues>): boolean {
  return preemptible && restart_rule !== "never";
}

/** Whether a time of the reader's clock, as a field writes it, has gone by; an empty one never has. */
export function isPast(local: string | undefined, now: Date): boolean {
  return Boolean(local) && momentAt(local ?? "") <= now;
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function jobDraft(form: Partial<JobFormValues>): DryRunInput | null {
  const common = submissionDraft(form);
  const { replicas, priority = "normal" } = form;
  if (!common || !replicas) return null;
  const preemptible = mayBeInterrupted(form);
  const { not_before, held } = startOf(form);
  return {
    kind: JOB.kind,
    ...common,
    replicas,
    priority,
    preemptible,
    ...(not_before && { not_before }),
    ...(held && { held }),
  };
}

// When a job starts again by itself and how it is warned, as people choose it.

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

/** The restart rule as the server takes it, without defaults and what the rule does not use. */
export function restartOf(form: JobFormValues): Pick<JobInput, "restart" | "retries_max"> {
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
