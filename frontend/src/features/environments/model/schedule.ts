/** The schedule of a notebook, as its form holds it. Pure. */
import type { NotebookSchedule, NotebookScheduleInput } from "@/shared/api/types";

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
