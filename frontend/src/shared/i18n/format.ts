/** Numbers, amounts and times in the reader's language, which is handed in; times by the chosen clock. */
import { ageFormat, clockStyle, dateFormat, numberFormat, wallTime } from "./clock";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Letters of the date in `2026-11-24T09:00`. */
const DATE = 10;

export function formatNumber(value: number, language: string, digits = 1): string {
  return numberFormat(language, { maximumFractionDigits: digits }).format(value);
}

/** An amount that says `<0.1` instead of the zero to which it would be rounded. */
export function formatSome(value: number, language: string, digits = 1): string {
  const least = 10 ** -digits;
  if (value <= 0 || value >= least / 2) return formatNumber(value, language, digits);
  return `<${formatNumber(least, language, digits)}`;
}

/** Thousandths (milli-GPUs, milli-CPU) as a number of whole things: `2500` → `2.5`. */
export function formatMilli(milli: number, language: string): string {
  return formatNumber(milli / 1000, language, 3);
}

/** MiB as `512 MiB` or `4.0 GiB`; always a unit. */
export function formatMemory(mib: number, language: string): string {
  if (Math.abs(mib) < 1024) return `${formatNumber(mib, language, 0)} MiB`;
  const gib = mib / 1024;
  const digits = gib < 100 ? 1 : 0;
  const amount = numberFormat(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${amount.format(gib)} GiB`;
}

/** Bytes of a file: `312 B`, `4.5 KiB`, `1.2 GiB`. */
export function formatBytes(bytes: number, language: string): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${formatNumber(amount, language, unit === 0 ? 0 : 1)} ${units[unit]}`;
}

/** Eighths and quarters of a GPU, which pools cut most often. */
const FRACTIONS: Record<number, string> = {
  125: "⅛",
  250: "¼",
  375: "⅜",
  500: "½",
  625: "⅝",
  750: "¾",
  875: "⅞",
};

/** Thousandths of a GPU: `2500` → `2½`, in Chinese two and `1/2`; `100` → `0.1`. */
export function formatGpus(milli: number, language: string): string {
  const fraction = FRACTIONS[milli % 1000];
  if (!fraction) return formatMilli(milli, language);
  const whole = Math.trunc(milli / 1000);
  const part = isChinese(language) ? fraction.normalize("NFKC").replace("\u2044", "/") : fraction;
  if (whole === 0) return part;
  const between = isChinese(language) ? " 又 " : ""; // locale-check: a word of numbers
  return `${formatNumber(whole, language)}${between}${part}`;
}

const SYMBOLS = { day: "d", hour: "h", minute: "min", second: "s" } as const;
type TimeUnit = keyof typeof SYMBOLS;

/** A span of time, rounded to its two largest units: `3 d 4 h`, `2 h 5 min`, `42 s`. */
export function formatDuration(seconds: number, language: string): string {
  const exact = Math.max(0, seconds);
  const finest = exact >= DAY ? HOUR : exact >= HOUR ? MINUTE : 1;
  const whole = Math.round(exact / finest) * finest;
  const parts: [number, TimeUnit][] = [
    [Math.floor(whole / DAY), "day"],
    [Math.floor((whole % DAY) / HOUR), "hour"],
    [Math.floor((whole % HOUR) / MINUTE), "minute"],
    [whole % MINUTE, "second"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first === -1) return inUnit(0, "second", language);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => inUnit(amount, unit, language))
    .join(" ");
}

/** Age of a moment, rounded: `5 minutes ago`, `in 8 hours`. */
export function formatAge(moment: Date, now: Date, language: string): string {
  const seconds = (moment.getTime() - now.getTime()) / 1000;
  const relative = ageFormat(language, { numeric: "always" });
  const [minutes, hours] = [Math.round(seconds / MINUTE), Math.round(seconds / HOUR)];
  if (Math.abs(seconds) < MINUTE) return relative.format(Math.round(seconds), "second");
  if (Math.abs(minutes) < 60) return relative.format(minutes, "minute");
  if (Math.abs(hours) < 24) return relative.format(hours, "hour");
  return relative.format(Math.round(seconds / DAY), "day");
}

/** The exact moment with its time zone, for hovering and for records. */
export function formatMoment(moment: Date, language: string): string {
  return formatExact(moment, language, { timeZoneName: "short" });
}

/** The same under a head with the zone of now: without it, unless a change of clocks lies between. */
export function formatMomentOf(moment: Date, now: Date, language: string): string {
  const isOfHead = formatZone(moment, language) === formatZone(now, language);
  return isOfHead ? formatExact(moment, language) : formatMoment(moment, language);
}

function formatExact(
  moment: Date,
  language: string,
  more: Intl.DateTimeFormatOptions = {},
): string {
  return dateFormat(language, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...clockStyle(),
    ...more,
  }).format(moment);
}

/** The reader's time zone at a moment: `GMT+8`. */
export function formatZone(moment: Date, language: string): string {
  const parts = dateFormat(language, {
    timeZone: clockStyle().timeZone,
    timeZoneName: "short",
  }).formatToParts(moment);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** The day of a moment in a calendar: `Tue 24`. */
export function formatDay(moment: Date, language: string): string {
  const { timeZone } = clockStyle();
  return dateFormat(language, { timeZone, weekday: "short", day: "numeric" }).format(moment);
}

/** Hours and minutes of a moment: `14:20`. */
export function formatClock(moment: Date, language: string): string {
  return dateFormat(language, {
    hour: "2-digit",
    minute: "2-digit",
    ...clockStyle(),
  }).format(moment);
}

/** A moment as briefly as it is clear: `14:20` today, `Mon 14:20` within a week, else `3 Mar 14:20`. */
export function formatWhen(moment: Date, now: Date, language: string): string {
  const clock = formatClock(moment, language);
  if (wallTime(moment).slice(0, DATE) === wallTime(now).slice(0, DATE)) return clock;
  const isNear = Math.abs(moment.getTime() - now.getTime()) < 6 * DAY * 1000;
  const day = dateFormat(language, {
    timeZone: clockStyle().timeZone,
    ...(isNear ? { weekday: "short" } : { month: "short", day: "numeric" }),
  }).format(moment);
  return `${day} ${clock}`;
}

/** The same with its time zone, for promises and deadlines: `14:20 GMT+8`. */
export function formatDeadline(moment: Date, now: Date, language: string): string {
  return `${formatWhen(moment, now, language)} ${formatZone(moment, language)}`;
}

/** From one moment to another, as briefly as it is clear: `Tue, Nov 24, 16:00 – 19:00 GMT+8`. */
export function formatSpan(from: Date, until: Date, language: string): string {
  return dateFormat(language, {
    weekday: "short",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    ...clockStyle(),
    timeZoneName: "short",
  }).formatRange(from, until);
}

function inUnit(amount: number, unit: TimeUnit, language: string): string {
  if (!isChinese(language)) return `${formatNumber(amount, language)} ${SYMBOLS[unit]}`;
  const style = { style: "unit", unit, unitDisplay: "short" } as const;
  return numberFormat(language, style).format(amount);
}

function isChinese(language: string): boolean {
  return language.startsWith("zh");
}

export const MICROS = 1_000_000;

/** An amount in its currency; what would be rounded to nothing is `<` the least that is written. */
export function formatMoney(amount: number, currency: string, language: string, digits = 2) {
  const options = { style: "currency", currency, maximumFractionDigits: digits } as const;
  const written = new Intl.NumberFormat(language, options);
  const least = 10 ** -digits;
  return amount > 0 && amount < least / 2 ? `<${written.format(least)}` : written.format(amount);
}
