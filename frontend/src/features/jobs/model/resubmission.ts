/** A job that was submitted before, once more: as the form held it, and as a request. Pure. */
import type { JobInput, WorkloadDetail } from "@/shared/api/types";
import type { Priority } from "@/shared/cluster/api/limits";
import { choiceForm, choiceOf, requestedDevices } from "@/shared/submission/model/devices";
import { filesOf, fileValues, scriptFor, withOutputsOf } from "@/shared/submission/model/files";
import { valuesLike } from "@/shared/submission/model/likeness";
import type { SubmissionChoices } from "@/shared/submission/model/submission";
import type { JobFormValues, Launcher, NoticeSignal, RestartRule } from "./job-form";
import { commandLine } from "./program";
import type { JobOrigin } from "./tabs";

const MINUTE_S = 60;

/** What is no longer offered, a pool or an image, is left out and has to be chosen again. */
export function jobFormOf(job: WorkloadDetail, offered: SubmissionChoices): Partial<JobFormValues> {
  return {
    name: job.name,
    ...valuesLike(job, offered),
    ...programOf(job),
    ...restartFormOf(job),
    replicas: job.replicas,
    priority: job.priority as Priority,
    preemptible: job.preemptible,
    silence: job.silence === "replace" ? job.silence : "pool",
  };
}

function programOf({ spec }: WorkloadDetail): Partial<JobFormValues> {
  const program = spec.script
    ? { way: "script" as const, script: spec.script }
    : { way: "command" as const, command: commandLine(spec.command ?? []) };
  return {
    ...program,
    env: Object.entries(envOf(spec)).map(([name, value]) => ({ name, value })),
    launcher: spec.launcher as Launcher,
    notice_signal: spec.notice_signal as NoticeSignal,
  };
}

/** Values are shown to the owner only: for others the names are left to fill in. */
function envOf({ env, hidden_env }: WorkloadDetail["spec"]): Record<string, string> {
  return { ...Object.fromEntries(hidden_env.map((name) => [name, ""])), ...env };
}

function restartFormOf({ restart, retries_max }: WorkloadDetail): Partial<JobFormValues> {
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

export function resubmission(job: WorkloadDetail): JobInput {
  const { spec } = job;
  const env = envOf(spec);
  return {
    name: job.name,
    group: job.group.name,
    pool: job.pool.name,
    image: job.image.name,
    ...(spec.script ? { script: spec.script } : { command: spec.command ?? [] }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(spec.ports.length > 0 && { ports: spec.ports }),
    ...(spec.datasets.length > 0 && { datasets: spec.datasets }),
    ...(spec.secrets.length > 0 && { secrets: spec.secrets }),
    ...filesOf(fileValues(spec)),
    ...requestedDevices(job),
    ...choiceOf(choiceForm(job)),
    replicas: job.replicas,
    launcher: spec.launcher as Launcher,
    notice_signal: spec.notice_signal as NonNullable<JobInput["notice_signal"]>,
    restart: job.restart,
    cpu_milli: job.cpu_milli,
    memory_mib: job.memory_mib,
    time_limit_s: job.time_limit_s,
    priority: job.priority,
    preemptible: job.preemptible,
    ...(job.silence && { silence: job.silence }),
    retries_max: job.retries_max,
  };
}

/** What a new job begins with that runs a file of the home as a notebook did. */
function jobFormFrom(
  notebook: WorkloadDetail,
  file: string | undefined,
  offered: SubmissionChoices,
): Partial<JobFormValues> {
  return {
    ...valuesLike(notebook, offered),
    ports: [],
    home: true,
    way: "script",
    script: scriptFor(file),
  };
}

/** What a new job begins with that reads the outputs of another one. */
function jobFormAfter(job: WorkloadDetail, offered: SubmissionChoices): Partial<JobFormValues> {
  const { group, pool, image } = valuesLike(job, offered);
  const places = { ...(group && { group }), ...(pool && { pool }), ...(image && { image }) };
  return { ...places, ...withOutputsOf({}, job) };
}

/** What the form begins with, given the work that its address names. */
export function jobFormLike(
  work: WorkloadDetail,
  { notebook, file, outputs }: JobOrigin,
  offered: SubmissionChoices,
): Partial<JobFormValues> {
  if (notebook) return jobFormFrom(work, file, offered);
  return outputs ? jobFormAfter(work, offered) : jobFormOf(work, offered);
}
