/** The form as it was filled in for a job that was submitted before. Pure. */
import type { WorkloadDetail } from "@/shared/api/types";
import { gibOf } from "@/shared/submission/model/devices";
import type { Choices } from "@/shared/submission/model/submission";
import { commandLine } from "./command-line";
import type { JobForm, Launcher, Priority } from "./draft";
import type { NoticeSignal, RestartRule } from "./restart";

const MEMORY_GIB_MIN = 1;
const MINUTE_S = 60;

/** What is no longer offered, a pool or an image, is left to be chosen anew. */
export function formOf(job: WorkloadDetail, offered: Choices): Partial<JobForm> {
  return {
    name: job.name,
    ...placesOf(job, offered),
    ...programOf(job),
    ...devicesOf(job),
    ...restartOf(job),
    replicas: job.replicas,
    cpu: job.cpu_milli / 1000,
    memory_gib: Math.max(MEMORY_GIB_MIN, Math.ceil(gibOf(job.memory_mib))),
    time_limit_s: job.time_limit_s,
    priority: job.priority as Priority,
    preemptible: job.preemptible,
  };
}

function placesOf(job: WorkloadDetail, { groups, pools, images }: Choices): Partial<JobForm> {
  const group = groups.find(({ id }) => id === job.group.id)?.name;
  const pool = pools.find(({ id }) => id === job.pool.id)?.name;
  const image = images.find(({ id }) => id === job.image.id)?.name;
  return { ...(group && { group }), ...(pool && { pool }), ...(image && { image }) };
}

function programOf({ spec }: WorkloadDetail): Partial<JobForm> {
  const program = spec.script
    ? { way: "script" as const, script: spec.script }
    : { way: "command" as const, command: commandLine(spec.command ?? []) };
  return {
    ...program,
    env: Object.entries(spec.env ?? {}).map(([name, value]) => ({ name, value })),
    ports: spec.ports.map(String),
    datasets: spec.datasets,
    launcher: spec.launcher as Launcher,
    notice_signal: spec.notice_signal as NoticeSignal,
  };
}

function devicesOf(job: WorkloadDetail): Partial<JobForm> {
  if (job.mig_profile) return { mig_profile: job.mig_profile };
  if (job.share_milli) {
    return {
      share_pct: job.share_milli / 10,
      share_gib: gibOf(job.share_mib),
      share_ceiling_gib: job.share_ceiling_mib && gibOf(job.share_ceiling_mib),
    };
  }
  return job.slices ? { slices: job.slices } : { cards: job.cards };
}

function restartOf({ restart, retries_max }: WorkloadDetail): Partial<JobForm> {
  const { rule, pause_s, final_codes, free_codes, after_out_of_memory } = restart;
  return {
    restart_rule: rule as RestartRule,
    ...(retries_max > 0 && { retries_max }),
    pause_minutes: Math.ceil(pause_s / MINUTE_S),
    final_codes: final_codes.map(String),
    free_codes: free_codes.map(String),
    after_out_of_memory,
  };
}
