/** Advance reservations as the form and the calendar hold them. Pure. */
import type { AdvanceReservation, ReservationInput } from "@/shared/api/types";
import { momentAt, wallTime } from "@/shared/i18n/clock";

const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
/** Days that the calendar shows, from today on. */
export const CALENDAR_DAYS = 14;

export type Unit = "gpus" | "slices";

/** The form; moments are those of `datetime-local`, on the reader's clock. */
export interface ReservationForm {
  /** Reserved now, or asked of the platform's admins; those themselves have no choice, and reserve. */
  how?: "own" | "request";
  comment?: string;
  name: string;
  group: string;
  users?: string[];
  pool: string;
  unit: Unit;
  gpus: number;
  starts_at: string;
  ends_at: string;
  /** How many weeks it is repeated after the first. */
  weeks: number;
  release_min?: number | null;
}

export function reservationInput(form: ReservationForm): ReservationInput {
  const start = momentAt(form.starts_at);
  const last = new Date(start.getTime() + form.weeks * 7 * DAY_MS);
  return {
    name: form.name,
    group: form.group,
    users: form.users ?? [],
    pool: form.pool,
    gpus: form.unit === "gpus" ? form.gpus : 0,
    slices: form.unit === "slices" ? form.gpus : 0,
    starts_at: start.toISOString(),
    ends_at: momentAt(form.ends_at).toISOString(),
    weekly_until: form.weeks > 0 ? last.toISOString() : null,
    release_unused_after_s: form.release_min ? form.release_min * 60 : null,
  };
}

/** What a new one begins with: the next full hour, for three hours. */
export function newReservation(now: Date): Partial<ReservationForm> {
  const start = momentAt(`${wallTime(new Date(now.getTime() + 60 * MINUTE_MS)).slice(0, 13)}:00`);
  const end = new Date(start.getTime() + 180 * MINUTE_MS);
  return {
    how: "own",
    unit: "gpus",
    weeks: 0,
    starts_at: localValue(start),
    ends_at: localValue(end),
  };
}

/** `2026-11-24T09:00`, as `datetime-local` holds it. */
export function localValue(moment: Date): string {
  return wallTime(moment).slice(0, 16);
}

type Window = AdvanceReservation["windows"][number];

/** The window that is open, else the next one; none if all are over. */
export function nextWindow(windows: readonly Window[], now: Date): Window | undefined {
  return windows.find(({ ends_at }) => new Date(ends_at) > now);
}

export function midnight(now: Date): Date {
  return momentAt(`${wallTime(now).slice(0, 10)}T00:00`);
}

interface WindowBar {
  key: string;
  /** Per cent of the calendar's width. */
  left: number;
  width: number;
  window: Window;
}

/** The windows that the calendar shows, cut at its edges. */
export function windowBars(windows: readonly Window[], first: Date): WindowBar[] {
  const begin = first.getTime();
  const span = CALENDAR_DAYS * DAY_MS;
  return windows.flatMap((window) => {
    const from = Math.max(new Date(window.starts_at).getTime() - begin, 0);
    const to = Math.min(new Date(window.ends_at).getTime() - begin, span);
    if (to <= from) return [];
    const [left, width] = [(from / span) * 100, ((to - from) / span) * 100];
    return [{ key: window.starts_at, left, width, window }];
  });
}
