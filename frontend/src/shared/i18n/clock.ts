/** By which clock times are shown: the time zone, and 12 or 24 hours. The account keeps it; the browser, until that is known. */
export const HOURS = ["h23", "h12"] as const;
export type Hours = (typeof HOURS)[number];

export interface Clock {
  /** None is the browser's own. */
  timeZone?: string;
  hourCycle: Hours;
}

const ZONE_KEY = "berth.timeZone";
const HOURS_KEY = "berth.hours";
const listeners = new Set<() => void>();
let clock: Clock = { hourCycle: "h23" };

/** What every format of a time is given. */
export function clockStyle(): Clock {
  return clock;
}

/** Take the clock that was chosen in this browser. */
export function startClock(): void {
  clock = storedClock();
}

/** An empty zone is the browser's own. */
export function chooseClock(timeZone: string, hours: Hours): void {
  localStorage.setItem(ZONE_KEY, timeZone);
  localStorage.setItem(HOURS_KEY, hours);
  clock = storedClock();
  for (const listener of listeners) listener();
}

/** Take the clock of the account, which may have been chosen in another browser. */
export function adoptClock(timeZone: string, hours: Hours): void {
  if (timeZone !== (clock.timeZone ?? "") || hours !== clock.hourCycle)
    chooseClock(timeZone, hours);
}

/** What the chosen clock shows: `2026-11-24T09:00:00`; its beginning is what fields of dates and times hold. */
export function wallTime(moment: Date): string {
  const { timeZone } = clock;
  const iso = dateFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return iso.format(moment).replace(" ", "T");
}

export const dateFormat = kept(Intl.DateTimeFormat);
export const numberFormat = kept(Intl.NumberFormat);
export const ageFormat = kept(Intl.RelativeTimeFormat);

/** The formats that were made so far: to make one takes a hundred times as long as to use it. */
function kept<Options, Format>(Made: new (language: string, options: Options) => Format) {
  const made = new Map<string, Format>();
  return (language: string, options: Options): Format => {
    const key = `${language} ${JSON.stringify(options)}`;
    const format = made.get(key) ?? new Made(language, options);
    made.set(key, format);
    return format;
  };
}

/** The moment at which the chosen clock shows this; times that a change of the clocks leaves out are an hour on. */
export function momentAt(wall: string): Date {
  const asked = Date.parse(`${wall}Z`);
  const shift = (at: number) => Date.parse(`${wallTime(new Date(at))}Z`) - at + (at % 1000);
  const guess = asked - shift(asked);
  const at = asked - shift(guess);
  return new Date(shift(at) === shift(guess) ? at : guess);
}

/** Call back at each change of the clock, until the returned function is called. */
export function subscribeToClock(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function storedClock(): Clock {
  const timeZone = localStorage.getItem(ZONE_KEY) ?? "";
  const hourCycle = localStorage.getItem(HOURS_KEY) === "h12" ? "h12" : "h23";
  return isZone(timeZone) ? { timeZone, hourCycle } : { hourCycle };
}

/** A zone that another version of the browser has stored may be unknown here. */
function isZone(timeZone: string): boolean {
  try {
    return timeZone !== "" && Boolean(new Intl.DateTimeFormat("en", { timeZone }));
  } catch {
    return false;
  }
}
