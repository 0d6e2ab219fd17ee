/** What every submission form holds, and how it becomes what the server takes. Pure. */
import { type DeviceForm, devicesOf } from "./devices";
import { portsOf } from "./ports";

/** Amounts as people type them: cores and GiB. */
export interface CommonForm extends DeviceForm {
  name: string;
  group: string;
  pool: string;
  image: string;
  cpu: number;
  memory_gib: number;
  time_limit_s: number;
  datasets?: readonly string[];
  /** As they are typed. */
  ports?: readonly string[];
}

type CommonInput = ReturnType<typeof commonInput>;

export function commonInput(form: CommonForm) {
  const { name, group, pool, image, cpu, memory_gib, time_limit_s } = form;
  const { datasets = [], ports = [] } = form;
  return {
    name: name.trim(),
    group,
    pool,
    image,
    ...devicesOf(form),
    cpu_milli: Math.round(cpu * 1000),
    memory_mib: Math.round(memory_gib * 1024),
    time_limit_s,
    ...(datasets.length > 0 && { datasets: [...datasets] }),
    ...(ports.length > 0 && { ports: portsOf(ports) }),
  };
}

/** The part of a half-filled form that the scheduler is asked about; null while one is missing. */
export function commonDraft(form: Partial<CommonForm>): Omit<CommonInput, "name"> | null {
  const { group, pool, image, cpu, memory_gib, time_limit_s } = form;
  if (!group || !pool || !image || !cpu || !memory_gib || !time_limit_s) return null;
  if (!devicesOf(form)) return null;
  const filled = { ...form, name: "", group, pool, image, cpu, memory_gib, time_limit_s };
  const { name: _, datasets: _read, ports: _open, ...draft } = commonInput(filled);
  return draft;
}
