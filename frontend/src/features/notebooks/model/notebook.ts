/** What a notebook's form submits, the notices about an idle one, and its schedule. Pure. */
import { NOTEBOOK } from "@/shared/api/kinds.gen";
import type {
  DryRunInput,
  EnvironmentInput,
  NotebookSchedule,
  NotebookScheduleInput,
  WorkloadDetail,
} from "@/shared/api/types";
import { withOutputsOf } from "@/shared/submission/model/files";
import {
  type SubmissionBody,
  type SubmissionChoices,
  type SubmissionValues,
  submissionDraft,
  submissionInput,
  valuesLike,
} from "@/shared/submission/model/submission";

/** A notebook's form: that of all work, and a schedule. */
export interface NotebookFormValues extends SubmissionValues {
  is_scheduled?: boolean;
  schedule?: ScheduleForm;
}

export function notebookInput(form: NotebookFormValues): EnvironmentInput {
  const { is_scheduled, schedule } = form;
  return {
    ...submissionInput(form),
    ...(is_scheduled && schedule && { schedule: scheduleInput(schedule) }),
  };
}

/** What the form begins with, given the body of the work or template that its address names. */
export function notebookFormLike(
  body: SubmissionBody,
  { job, from }: NotebookOrigin,
  offered: SubmissionChoices,
): Partial<NotebookFormValues> {
  const like = valuesLike(body, offered);
  if (job)
    return { ...like, ports: [], ...withOutputsOf(like, { id: job, name: body.name ?? "" }) };
  const { name, schedule } = body;
  return {
    ...like,
    ...(from && name && { name }),
    ...(schedule && { is_scheduled: true, schedule: scheduleForm(schedule) }),
  };
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function notebookDraft(form: Partial<NotebookFormValues>): DryRunInput | null {
  const common = submissionDraft(form);
  return common && { kind: NOTEBOOK.kind, ...common };
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
const WEEK = [0, 1, 2, 3, 4, 5, 6];

/** Times as `09:00`; empty is never. */
export interface ScheduleForm {
  days: number[];
  start: string;
  stop: string;
}

/** What a schedule begins with. */
export const USUAL: ScheduleForm = { days: WORKING_DAYS, start: "09:00", stop: "19:00" };

export function scheduleForm(schedule: NotebookScheduleInput): ScheduleForm {
  if (schedule.days.length === 0) return USUAL;
  const { days, start_minute = null, stop_minute = null } = schedule;
  return { days, start: clockTime(start_minute), stop: clockTime(stop_minute) };
}

export function scheduleInput({ days, start, stop }: ScheduleForm): NotebookScheduleInput {
  return { days, start_minute: minuteOf(start), stop_minute: minuteOf(stop) };
}

/** `Mon–Fri 09:00–19:00`, with … for a time that is not set: a schedule in a few words. */
export function scheduleDigest({ days, start, stop }: ScheduleForm, language: string): string {
  const names = weekdays(language);
  const spans = daySpans(days).map(([first, last]) =>
    first === last ? names[first] : `${names[first]}–${names[last]}`,
  );
  return `${spans.join(", ")} ${start || "…"}–${stop || "…"}`;
}

/** Names of the days of the week, Monday first. */
export function weekdays(language: string): string[] {
  const short = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
  return WEEK.map((day) => short.format(Date.UTC(2024, 0, 1 + day)));
}

/** Runs of days that follow each other. */
function daySpans(days: readonly number[]): [number, number][] {
  const spans: [number, number][] = [];
  for (const day of days.toSorted((one, other) => one - other)) {
    const span = spans.at(-1);
    if (span && span[1] === day - 1) span[1] = day;
    else spans.push([day, day]);
  }
  return spans;
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

/** What the address of the form names: what a notebook begins with. */
export interface NotebookOrigin {
  template?: string;
  /** Another notebook. */
  from?: string;
  /** A job whose files, outputs, image and size it has. */
  job?: string;
}

export function readNotebookOrigin(search: Record<string, unknown>): NotebookOrigin {
  const names = ["template", "from", "job"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === "string" ? [[name, search[name]]] : [])),
  );
}

/** Where a reader came from who found the notebook stopped: its own pages, or one of its ports. */
export type StartFrom = "lab" | number;

const PORT_MAX = 65_535;

export function readStartSearch({ start }: Record<string, unknown>): { start?: StartFrom } {
  if (start === "lab") return { start };
  const port = Number(start);
  return Number.isInteger(port) && port > 0 && port <= PORT_MAX ? { start: port } : {};
}
