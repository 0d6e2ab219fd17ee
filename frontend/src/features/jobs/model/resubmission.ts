/** The request that would submit the same job again. Pure. */
import type { JobInput, WorkloadDetail } from "@/shared/api/types";
import { devicesAskedBy } from "@/shared/submission/model/devices";
import type { Launcher } from "./draft";

export function resubmission(job: WorkloadDetail): JobInput {
  const { spec } = job;
  return {
    name: job.name,
    group: job.group.name,
    pool: job.pool.name,
    image: job.image.name,
    ...(spec.script ? { script: spec.script } : { command: spec.command ?? [] }),
    ...(spec.env && Object.keys(spec.env).length > 0 && { env: spec.env }),
    ...(spec.ports.length > 0 && { ports: spec.ports }),
    ...(spec.datasets.length > 0 && { datasets: spec.datasets }),
    ...devicesAskedBy(job),
    replicas: job.replicas,
    launcher: spec.launcher as Launcher,
    notice_signal: spec.notice_signal as NonNullable<JobInput["notice_signal"]>,
    restart: job.restart,
    cpu_milli: job.cpu_milli,
    memory_mib: job.memory_mib,
    time_limit_s: job.time_limit_s,
    priority: job.priority,
    preemptible: job.preemptible,
    retries_max: job.retries_max,
  };
}
