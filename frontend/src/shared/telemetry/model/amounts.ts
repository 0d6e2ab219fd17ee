/** Measured amounts in their units, and the words at the marks of an axis. Texts are handed in. */
import { clockStyle, wallTime } from "@/shared/i18n/clock";
import { formatBytes, formatMemory, formatMilli, formatNumber } from "@/shared/i18n/format";

export interface AmountWords {
  language: string;
  /** `2.5` as `2.5 cores`. */
  cores: (amount: string, count: number) => string;
}

const SIGNS: Record<string, string> = { percent: "%", celsius: "°C", watts: "W" };
const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const MIB_UNITS = BYTE_UNITS.slice(2);
const DIGITS_MAX = 3;

/** One amount: `45 %`, `1.5 GiB`, `0.43 cores`, `12 KiB/s`. */
export function formatMeasured(value: number, unit: string, words: AmountWords): string {
  const { language } = words;
  if (unit === "mebibytes") return formatMemory(value, language);
  if (unit === "milli") {
    const milli = Math.round(value / 10) * 10;
    return words.cores(formatMilli(milli, language), milli / 1000);
  }
  if (unit === "bytes_per_second") return `${formatBytes(Math.round(value), language)}/s`;
  return `${formatNumber(value, language, 0)} ${SIGNS[unit] ?? ""}`.trimEnd();
}

/** The marks of an axis that are `step` apart, with as many digits as keep neighbours apart. */
export function formatMarks(
  marks: readonly number[],
  step: number,
  unit: string,
  words: AmountWords,
): string[] {
  const { language } = words;
  return marks.map((mark) => {
    if (unit === "mebibytes") return binaryMark(mark, step, MIB_UNITS, language);
    if (unit === "bytes_per_second") return `${binaryMark(mark, step, BYTE_UNITS, language)}/s`;
    if (unit === "milli") {
      return words.cores(formatNumber(mark / 1000, language, digitsFor(step / 1000)), mark / 1000);
    }
    return `${formatNumber(mark, language, digitsFor(step))} ${SIGNS[unit] ?? ""}`.trimEnd();
  });
}

function binaryMark(mark: number, step: number, units: readonly string[], language: string) {
  let [amount, apart, place] = [mark, step, 0];
  while (amount >= 1024 && place < units.length - 1) {
    [amount, apart, place] = [amount / 1024, apart / 1024, place + 1];
  }
  return `${formatNumber(amount, language, digitsFor(apart))} ${units[place]}`;
}

/** Digits after the point that tell numbers apart which differ by a step. */
function digitsFor(step: number): number {
  for (let digits = 0; digits < DIGITS_MAX; digits += 1) {
    const whole = step * 10 ** digits;
    if (Math.abs(whole - Math.round(whole)) < 1e-6 * whole) return digits;
  }
  return DIGITS_MAX;
}

const DAY_MS = 86_400_000;

/** The marks of an axis of time: seconds, clock times, days or months, by how far they are apart. */
export function formatTimes(marks: readonly number[], step: number, language: string): string[] {
  const { timeZone } = clockStyle();
  const style = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone, ...options });
  const day = style({ month: "short", day: "numeric" });
  const clock = style({
    hour: "2-digit",
    minute: "2-digit",
    ...clockStyle(),
    ...(step < 60_000 && { second: "2-digit" }),
  });
  const month = style({ year: "numeric", month: "short" });
  return marks.map((mark) => {
    const at = new Date(mark);
    if (step >= 28 * DAY_MS) return month.format(at);
    const isMidnight = wallTime(at).endsWith("T00:00:00");
    return step >= DAY_MS || isMidnight ? day.format(at) : clock.format(at);
  });
}

/** A moment as a point of a chart needs it: with its date on long axes, with seconds on short ones. */
export function formatPoint(moment: number, span: number, language: string): string {
  return new Intl.DateTimeFormat(language, {
    ...(span > DAY_MS / 2 && { month: "short", day: "numeric" }),
    ...(span > 180 * DAY_MS && { year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    ...clockStyle(),
    ...(span < DAY_MS / 2 && { second: "2-digit" }),
  }).format(new Date(moment));
}
