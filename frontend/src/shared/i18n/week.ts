/** Minutes of the week, counted from Monday 00:00, as a day and a time of day. Pure. */

const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;

/** 0 is Monday. */
export const DAYS = [0, 1, 2, 3, 4, 5, 6] as const;

export function dayOf(minute: number): number {
  return Math.floor(minute / DAY_MINUTES);
}

/** `09:05`. */
export function clockOf(minute: number): string {
  const ofDay = minute % DAY_MINUTES;
  const two = (part: number) => String(part).padStart(2, "0");
  return `${two(Math.floor(ofDay / 60))}:${two(ofDay % 60)}`;
}

/** The minute of the week; a time that is no time is midnight. */
export function minuteOf(day: number, clock: string): number {
  const [, hours = "0", minutes = "0"] = /^(\d{1,2}):(\d{2})/.exec(clock) ?? [];
  return (day * DAY_MINUTES + Number(hours) * 60 + Number(minutes)) % WEEK_MINUTES;
}

/** The name of a day of the week in the reader's language. */
export function dayName(day: number, language: string): string {
  const aMonday = Date.UTC(2024, 0, 1);
  const format = new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" });
  return format.format(new Date(aMonday + day * DAY_MINUTES * 60_000));
}

export interface WeekSpan {
  start: number;
  end: number;
}

/** A span of the week: `Monday 20:00 – Tuesday 08:00`. */
export function formatWindow({ start, end }: WeekSpan, language: string): string {
  const moment = (minute: number) => `${dayName(dayOf(minute), language)} ${clockOf(minute)}`;
  return `${moment(start)} – ${moment(end)}`;
}
