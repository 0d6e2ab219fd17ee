/** What a job's form begins with: an earlier job, a template, a notebook, outputs of a job. Pure. */
import type { Priority } from "@/shared/cluster/api/limits";
import { type ProgramRun, runIn, withOutputsOf } from "@/shared/submission/model/files";
import { commandLine } from "@/shared/submission/model/program";
import type { SubmissionChoices } from "@/shared/submission/model/submission";
import { type SubmissionBody, valuesLike } from "@/shared/submission/model/submission";
import type { JobFormValues, Launcher, NoticeSignal, RestartRule } from "./job-form";

const MINUTE_S = 60;

/** Only what the body has; see `valuesLike`. */
export function jobFormOf(
  body: SubmissionBody,
  offered: SubmissionChoices,
): Partial<JobFormValues> {
  const { name, replicas, priority, preemptible, launcher, notice_signal } = body;
  return {
    ...valuesLike(body, offered),
    ...programFormOf(body),
    ...restartFormOf(body),
    ...(name && { name }),
    ...(replicas && { replicas }),
    ...(priority && { priority: priority as Priority }),
    ...(preemptible !== undefined && { preemptible }),
    ...(launcher && { launcher: launcher as Launcher }),
    ...(notice_signal && { notice_signal: notice_signal as NoticeSignal }),
  };
}

function programFormOf({ script, command }: SubmissionBody): Partial<JobFormValues> {
  const run = script ? runIn(script) : null;
  if (run) return { way: "file", file: run.file, ...parametersOf(run) };
  if (script) return { way: "script", script };
  return command?.length ? { way: "command", command: commandLine(command) } : {};
}

function parametersOf({ parameters }: ProgramRun): Partial<JobFormValues> {
  if (parameters.length === 0) return {};
  return { parameters: parameters.map(({ name, value }) => `${name}=${value}`).join("\n") };
}

function restartFormOf({ restart = {}, retries_max }: SubmissionBody): Partial<JobFormValues> {
  const { rule, pause_s, final_codes, free_codes, after_out_of_memory } = restart;
  return {
    ...(rule && { restart_rule: rule as RestartRule }),
    ...(retries_max && { retries_max }),
    ...(pause_s && { pause_minutes: Math.ceil(pause_s / MINUTE_S) }),
    ...(final_codes && { final_codes: final_codes.map(String) }),
    ...(free_codes && { free_codes: free_codes.map(String) }),
    ...(after_out_of_memory && { after_out_of_memory }),
  };
}

/** What a new job begins with that runs a file of the home as a notebook did; none is chosen yet. */
function jobFormFrom(
  notebook: SubmissionBody,
  file: string | undefined,
  offered: SubmissionChoices,
): Partial<JobFormValues> {
  return {
    ...valuesLike(notebook, offered),
    ports: [],
    home: true,
    way: "file",
    ...(file && { file }),
  };
}

/** What a new job begins with that reads the outputs of another one: its program, size and data, too. */
function jobFormAfter(
  id: string,
  job: SubmissionBody,
  offered: SubmissionChoices,
): Partial<JobFormValues> {
  const { name: _, inputs: _read, ...like } = jobFormOf(job, offered);
  return { ...like, ...withOutputsOf({}, { id, name: job.name ?? "" }) };
}

/** What the form begins with, given the body of the work or template that its address names, if any. */
export function jobFormLike(
  body: SubmissionBody | undefined,
  { notebook, file, from, outputs }: JobOrigin,
  offered: SubmissionChoices,
): Partial<JobFormValues> {
  if (!body) return file ? jobFormFrom({}, file, offered) : {};
  if (notebook) return jobFormFrom(body, file, offered);
  if (outputs && !from) return jobFormAfter(outputs, body, offered);
  const again = jobFormOf(body, offered);
  if (!outputs) return again;
  return { ...again, ...withOutputsOf(again, { id: outputs, name: body.name ?? "" }) };
}

/** What the address of the form names: a job to submit again, a notebook to go on from, outputs to read. */
export interface JobOrigin {
  template?: string;
  from?: string;
  notebook?: string;
  /** A file of the home that the job shall run. */
  file?: string;
  outputs?: string;
}

export function readJobOrigin(search: Record<string, unknown>): JobOrigin {
  const names = ["template", "from", "notebook", "file", "outputs"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === "string" ? [[name, search[name]]] : [])),
  );
}
