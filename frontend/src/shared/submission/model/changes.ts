/** What may change of submitted work, as a form holds it and as the server takes it. Pure. */
import { problemOf } from "@/shared/api/problem";
import type { WorkloadChange, WorkloadDetail } from "@/shared/api/types";
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

export interface ChangeForm extends DeviceForm {
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
    pool: workload.pool.name,
    image: workload.image.name,
    cpu: workload.cpu_milli / 1000,
    memory_gib: workload.memory_mib / MIB_PER_GIB,
    time_limit_s: workload.time_limit_s,
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
  pool,
  image,
  cpu,
  memory_gib,
  time_limit_s,
  priority,
  preemptible,
}: ChangeForm) {
  return {
    pool,
    image,
    cpu_milli: Math.round(cpu * 1000),
    memory_mib: Math.round(memory_gib * MIB_PER_GIB),
    time_limit_s,
    priority,
    preemptible,
  };
}
