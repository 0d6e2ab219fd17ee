/** Changes that let waiting work start now, as the submission form takes them. Pure. */

type Changes = Readonly<Record<string, unknown>>;

interface Devices {
  gpus: number;
  slices: number;
  replicas: number;
}

/** The search of the submission form: what differs from the job that it is filled from. */
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
export function changedDevices(of: Devices, changes: Changes): Devices {
  const { gpus, slices, replicas } = { ...of, ...searchOf(changes) };
  return { gpus, slices, replicas };
}

/** The known fields with values that make sense; an address may hold anything. */
export function searchOf(given: Changes): ChangedValues {
  const found: ChangedValues = {};
  for (const name of COUNTS) {
    const value = given[name];
    if (typeof value === "number" && Number.isInteger(value) && value > 0) found[name] = value;
  }
  if (typeof given.pool === "string") found.pool = given.pool;
  if (typeof given.preemptible === "boolean") found.preemptible = given.preemptible;
  return found;
}
