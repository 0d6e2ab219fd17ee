/** From what the form holds to what the server takes. Pure. */
import type { DryRunInput, EnvironmentInput } from "@/shared/api/types";

export interface EnvironmentForm {
  name: string;
  group: string;
  pool: string;
  image: string;
  slices: number;
  cpu: number;
  memory_gib: number;
  time_limit_s: number;
}

export function environmentInput(form: EnvironmentForm): EnvironmentInput {
  const { name, group, pool, image, slices, cpu, memory_gib, time_limit_s } = form;
  return {
    name: name.trim(),
    group,
    pool,
    image,
    slices,
    cpu_milli: Math.round(cpu * 1000),
    memory_mib: Math.round(memory_gib * 1024),
    time_limit_s,
  };
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function environmentDraft(form: Partial<EnvironmentForm>): DryRunInput | null {
  const { group, pool, image, slices, cpu, memory_gib, time_limit_s } = form;
  if (!group || !pool || !image || !slices || !cpu || !memory_gib || !time_limit_s) return null;
  const { name: _, ...rest } = environmentInput({
    name: "",
    group,
    pool,
    image,
    slices,
    cpu,
    memory_gib,
    time_limit_s,
  });
  return { kind: "environment", ...rest };
}
