/** Numbers, amounts and times in the reader's language. Pure; the language is handed in. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function formatNumber(value: number, language: string, digits = 1): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
}

/** Thousandths (milli-cards, milli-CPU) as a number of whole things: `2500` → `2.5`. */
export function formatMilli(milli: number, language: string): string {
  return formatNumber(milli / 1000, language, 3);
}

/** MiB as `512 MiB` or `4.0 GiB`; always a unit. */
export function formatMemory(mib: number, language: string): string {
  if (Math.abs(mib) < 1024) return `${formatNumber(mib, language, 0)} MiB`;
  const gib = mib / 1024;
  const digits = gib < 100 ? 1 : 0;
  const amount = new Intl.NumberFormat(language, {
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

/** A span of time in its two largest units: `3 d 4 h`, `2 h 5 min`, `42 s`. */
export function formatDuration(seconds: number, language: string): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts: [number, Intl.NumberFormatOptions["unit"] & string][] = [
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

/** Age of a moment: `5 minutes ago`, `in 2 hours`. */
export function formatAge(moment: Date, now: Date, language: string): string {
  const seconds = (moment.getTime() - now.getTime()) / 1000;
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const size = Math.abs(seconds);
  if (size < 5) return relative.format(0, "second");
  if (size < MINUTE) return relative.format(Math.trunc(seconds), "second");
  if (size < HOUR) return relative.format(Math.trunc(seconds / MINUTE), "minute");
  if (size < DAY) return relative.format(Math.trunc(seconds / HOUR), "hour");
  return relative.format(Math.trunc(seconds / DAY), "day");
}

/** The exact moment, for hovering and for records. */
export function formatMoment(moment: Date, language: string): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: "medium",
    timeStyle: "medium",
    hourCycle: "h23",
  }).format(moment);
}

/** Hours and minutes of a moment: `14:20`. */
export function formatClock(moment: Date, language: string): string {
  return new Intl.DateTimeFormat(language, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(moment);
}

/** A moment as briefly as it is clear: `14:20` today, `Mon 14:20` within a week, else `3 Mar 14:20`. */
export function formatWhen(moment: Date, now: Date, language: string): string {
  const clock = formatClock(moment, language);
  if (moment.toDateString() === now.toDateString()) return clock;
  const isNear = Math.abs(moment.getTime() - now.getTime()) < 6 * DAY * 1000;
  const day = new Intl.DateTimeFormat(
    language,
    isNear ? { weekday: "short" } : { month: "short", day: "numeric" },
  ).format(moment);
  return `${day} ${clock}`;
}

function inUnit(amount: number, unit: string, language: string): string {
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(
    amount,
  );
}
