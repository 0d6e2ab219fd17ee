/** From what the form holds to what the server takes. Pure. */
import type { DryRunInput, JobInput } from "@/shared/api/types";
import { splitCommand } from "./command-words";

export const PRIORITIES = ["low", "normal", "high"] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface JobForm {
  name: string;
  group: string;
  pool: string;
  image: string;
  way: "script" | "command";
  script?: string;
  command?: string;
  cards: number;
  replicas: number;
  cpu: number;
  memory_gib: number;
  time_limit_s: number;
  priority: Priority;
  retries_max: number;
}

export function jobInput(form: JobForm): JobInput {
  const { name, group, pool, image, cards, replicas, time_limit_s, priority, retries_max } = form;
  const program =
    form.way === "script"
      ? { script: form.script ?? "" }
      : { command: splitCommand(form.command ?? "").words };
  return {
    name: name.trim(),
    group,
    pool,
    image,
    ...program,
    cards,
    replicas,
    cpu_milli: Math.round(form.cpu * 1000),
    memory_mib: Math.round(form.memory_gib * 1024),
    time_limit_s,
    priority,
    retries_max,
  };
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function jobDraft(form: Partial<JobForm>): DryRunInput | null {
  const { group, pool, image, cards, replicas, cpu, memory_gib, time_limit_s, priority } = form;
  if (!group || !pool || !image || !cards || !replicas || !cpu || !memory_gib || !time_limit_s) {
    return null;
  }
  return {
    kind: "training",
    group,
    pool,
    image,
    cards,
    replicas,
    cpu_milli: Math.round(cpu * 1000),
    memory_mib: Math.round(memory_gib * 1024),
    time_limit_s,
    priority: priority ?? "normal",
  };
}
