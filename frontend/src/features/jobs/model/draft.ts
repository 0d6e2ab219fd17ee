/** From what the form holds to what the server takes. Pure. */
import type { DryRunInput, JobInput } from "@/shared/api/types";
import { type CommonForm, commonDraft, commonInput } from "@/shared/submission/model/submission";
import { splitCommand } from "./command-words";
import { envOf, type Variable } from "./env";
import { type NoticeSignal, type RestartRule, restartOf } from "./restart";

export const PRIORITIES = ["low", "normal", "high"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What starts the processes of a rank; the words are the server's. */
export const LAUNCHERS = ["plain", "torchrun", "mpi"] as const;
export type Launcher = (typeof LAUNCHERS)[number];

export interface JobForm extends CommonForm {
  way: "script" | "command";
  script?: string;
  command?: string;
  env: readonly (Variable | undefined)[];
  replicas: number;
  launcher?: Launcher;
  priority: Priority;
  /** Local time as the browser's field writes it; empty is for ever. */
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

export function jobInput(form: JobForm): JobInput {
  const { replicas, launcher = "plain", priority, notice_signal = "SIGTERM" } = form;
  const until = priority === "normal" ? "" : form.priority_until;
  const program =
    form.way === "script"
      ? { script: form.script ?? "" }
      : { command: splitCommand(form.command ?? "").words };
  const env = envOf(form.env);
  return {
    ...commonInput(form),
    ...program,
    ...(Object.keys(env).length > 0 && { env }),
    replicas,
    ...(launcher !== "plain" && { launcher }),
    priority,
    ...(until && { priority_until: new Date(until).toISOString() }),
    preemptible: mayBeInterrupted(form),
    ...(notice_signal !== "SIGTERM" && { notice_signal }),
    ...restartOf(form),
  };
}

/** What must not run twice cannot be queued again either. */
function mayBeInterrupted({ preemptible = false, restart_rule }: Partial<JobForm>): boolean {
  return preemptible && restart_rule !== "never";
}

/** Whether a local time, as the browser's field writes it, has gone by; an empty one never has. */
export function isPast(local: string | undefined, now: Date): boolean {
  return Boolean(local) && new Date(local ?? "") <= now;
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function jobDraft(form: Partial<JobForm>): DryRunInput | null {
  const common = commonDraft(form);
  const { replicas, priority = "normal" } = form;
  if (!common || !replicas) return null;
  const preemptible = mayBeInterrupted(form);
  return { kind: "training", ...common, replicas, priority, preemptible };
}
