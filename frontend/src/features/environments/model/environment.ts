/** What a notebook's form submits, the notices about an idle one, and its schedule. Pure. */
import type {
  DryRunInput,
  EnvironmentInput,
  NotebookSchedule,
  NotebookScheduleInput,
  WorkloadDetail,
} from "@/shared/api/types";
import { withOutputsOf } from "@/shared/submission/model/files";
import { valuesLike } from "@/shared/submission/model/likeness";
import {
  type SubmissionChoices,
  type SubmissionValues,
  submissionDraft,
  submissionInput,
} from "@/shared/submission/model/submission";

export function environmentInput(form: SubmissionValues): EnvironmentInput {
  return submissionInput(form);
}

/** What a notebook begins with that has the files, outputs, image and size of a job. */
export function notebookFormLike(
  job: WorkloadDetail,
  offered: SubmissionChoices,
): Partial<SubmissionValues> {
  const like = valuesLike(job, offered);
  return { ...like, ports: [], ...withOutputsOf(like, job) };
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function environmentDraft(form: Partial<SubmissionValues>): DryRunInput | null {
  const common = submissionDraft(form);
  return common && { kind: "environment", ...common };
}

/** Where a reader came from who found the notebook stopped: its own pages, or one of its ports. */
export type StartFrom = "lab" | number;

const PORT_MAX = 65_535;

export function readStartSearch({ start }: Record<string, unknown>): { start?: StartFrom } {
  if (start === "lab") return { start };
  const port = Number(start);
  return Number.isInteger(port) && port > 0 && port <= PORT_MAX ? { start: port } : {};
}

export type Idle = NonNullable<WorkloadDetail["idle"]>;

export type IdleNews = "warned" | Exclude<Idle["gpu_state"], "held">;

/** The one notice to show; null while the notebook is used and has its GPUs. */
export function idleNews({ gpu_state, is_warned }: Idle): IdleNews | null {
  // A notebook without its GPUs may be about to be stopped: that comes first.
  if (is_warned && (gpu_state === "held" || gpu_state === "released")) return "warned";
  return gpu_state === "held" ? null : gpu_state;
}

// The schedule, as its form holds it.

const WARN_MS = 30 * 60_000;
const WORKING_DAYS = [0, 1, 2, 3, 4];

/** Times as `09:00`; empty is never. */
export interface ScheduleForm {
  days: number[];
  start: string;
  stop: string;
}

export function scheduleForm(schedule: NotebookSchedule): ScheduleForm {
  if (schedule.days.length === 0) return { days: WORKING_DAYS, start: "09:00", stop: "19:00" };
  const { days, start_minute, stop_minute } = schedule;
  return { days, start: clockTime(start_minute), stop: clockTime(stop_minute) };
}

export function scheduleInput({ days, start, stop }: ScheduleForm): NotebookScheduleInput {
  return { days, start_minute: minuteOf(start), stop_minute: minuteOf(stop) };
}

/** `540` → `09:00`. */
export function clockTime(minute: number | null): string {
  if (minute === null) return "";
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

function minuteOf(clock: string): number | null {
  const [hours, minutes] = (clock ?? "").split(":").map(Number);
  if (hours === undefined || minutes === undefined) return null;
  return hours * 60 + minutes;
}

/** Whether the next stop is announced now. */
export function isStopSoon({ next_stop_at }: NotebookSchedule, now: Date): boolean {
  return next_stop_at !== null && new Date(next_stop_at).getTime() - now.getTime() <= WARN_MS;
}
