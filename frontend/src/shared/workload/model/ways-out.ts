/** Changes that let waiting work start now, as the request takes them. Pure. */

type Changes = Readonly<Record<string, unknown>>;

interface DeviceCounts {
  gpus: number;
  slices: number;
  replicas: number;
}

/** What a way out may change. */
export interface ChangedValues {
  pool?: string;
  gpus?: number;
  slices?: number;
  replicas?: number;
  time_limit_s?: number;
  preemptible?: boolean;
}

const COUNTS = ["gpus", "slices", "replicas", "time_limit_s"] as const;

/** The devices after a change. */
export function changedDevices(of: DeviceCounts, changes: Changes): DeviceCounts {
  const { gpus, slices, replicas } = { ...of, ...changesOf(changes) };
  return { gpus, slices, replicas };
}

/** The known fields with values that make sense. */
export function changesOf(given: Changes): ChangedValues {
  const found: ChangedValues = {};
  for (const name of COUNTS) {
    const value = given[name];
    if (typeof value === "number" && Number.isInteger(value) && value > 0) found[name] = value;
  }
  if (typeof given.pool === "string") found.pool = given.pool;
  if (typeof given.preemptible === "boolean") found.preemptible = given.preemptible;
  return found;
}

interface ChangeableWork extends DeviceCounts {
  pool: { name: string };
  time_limit_s: number | null;
  preemptible: boolean;
}

/** The values that a change replaces. */
export function valuesBefore(work: ChangeableWork, changes: ChangedValues): ChangedValues {
  const now = { ...work, pool: work.pool.name, time_limit_s: work.time_limit_s ?? 0 };
  const names = Object.keys(changes) as (keyof ChangedValues)[];
  return Object.fromEntries(names.map((name) => [name, now[name]]));
}
