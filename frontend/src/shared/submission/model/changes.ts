/** What may change of submitted work, as a form holds it and as the server takes it. Pure. */
import { problemOf } from "@/shared/api/problem";
import type { WorkloadChange, WorkloadDetail } from "@/shared/api/types";
import { momentAt, wallTime } from "@/shared/i18n/clock";
import { type DeviceForm, deviceForm, devicesOf } from "./devices";

const HOUR_S = 3600;
const MIB_PER_GIB = 1024;

/** Refusals behind which a request is possible. */
const BEYOND_POLICY = ["time_limit_too_long", "would_delay_reservation"];

export function needsRequest(error: Error | null): boolean {
  return error !== null && BEYOND_POLICY.includes(problemOf(error).code);
}

export function limitHours(seconds: number): number {
  return Math.round((seconds / HOUR_S) * 100) / 100;
}

export function limitSeconds(hours: number): number {
  return Math.round(hours * HOUR_S);
}

type Limited = Pick<WorkloadDetail, "time_limit_s" | "ends_at">;

/** When work that runs would end under another limit; null before it has started, or if it has none. */
export function endWith({ time_limit_s, ends_at }: Limited, hours: number): Date | null {
  if (ends_at === null || time_limit_s === null) return null;
  return new Date(new Date(ends_at).getTime() + (limitSeconds(hours) - time_limit_s) * 1000);
}

/** The limit with which it would end then; never a little earlier. */
export function hoursUntil({ time_limit_s, ends_at }: Limited, end: Date): number {
  const more = (end.getTime() - new Date(ends_at ?? end).getTime()) / 1000;
  return Math.ceil((((time_limit_s ?? 0) + more) / HOUR_S) * 100) / 100;
}

const EVENING = "T18:00";
const DAY_MS = 24 * HOUR_S * 1000;

/** The next 18:00 by the reader's clock after its end now; null before it has started. */
export function eveningAfter({ ends_at }: Limited): Date | null {
  if (ends_at === null) return null;
  const end = new Date(ends_at);
  const on = (day: Date) => momentAt(`${wallTime(day).slice(0, 10)}${EVENING}`);
  const same = on(end);
  return same > end ? same : on(new Date(end.getTime() + DAY_MS));
}

export interface ChangeForm extends DeviceForm {
  name: string;
  pool: string;
  image: string;
  cpu: number;
  memory_gib: number;
  time_limit_s: number;
  priority: WorkloadDetail["priority"];
  preemptible: boolean;
}

export function changeForm(workload: WorkloadDetail): ChangeForm {
  return {
    ...deviceForm(workload),
    name: workload.name,
    pool: workload.pool.name,
    image: workload.image.name,
    cpu: workload.cpu_milli / 1000,
    memory_gib: workload.memory_mib / MIB_PER_GIB,
    time_limit_s: workload.time_limit_s ?? 0,
    priority: workload.priority,
    preemptible: workload.preemptible,
  };
}

/** Only what differs from the work as it was shown, and the version that was shown. */
export function changeInput(form: ChangeForm, shown: WorkloadDetail): WorkloadChange {
  const [now, before] = [valuesOf(form), valuesOf(changeForm(shown))];
  const changed = Object.entries(now).filter(
    ([name, value]) => value !== before[name as keyof typeof before],
  );
  const devices = devicesOf(form);
  const isResized = JSON.stringify(devices) !== JSON.stringify(devicesOf(changeForm(shown)));
  return { version: shown.version, ...Object.fromEntries(changed), ...(isResized && devices) };
}

function valuesOf({
  name,
  pool,
  image,
  cpu,
  memory_gib,
  time_limit_s,
  priority,
  preemptible,
}: ChangeForm) {
  return {
    name,
    pool,
    image,
    cpu_milli: Math.round(cpu * 1000),
    memory_mib: Math.round(memory_gib * MIB_PER_GIB),
    time_limit_s,
    priority,
    preemptible,
  };
}
