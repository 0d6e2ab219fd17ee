/** What the page asks for, and how the answer becomes figures and bars. Pure. */
import type { ClusterWeek, Me, UsageRow } from "@/shared/api/types";
import { formatSome } from "@/shared/i18n/format";
import { isGroupAdmin, isStaff } from "@/shared/session/roles";
import type { Grouping, UsagePeriod, UsageSearch } from "./search";

export interface UsageQuery {
  first_day: string;
  last_day: string;
  granularity?: "total" | "day" | "week" | "month";
  group_by?: Grouping;
  top?: number;
  group?: string;
  user?: string;
}

/** What a role looks at first: staff at groups, heads of groups at people, others at their work. */
export function firstGrouping(me: Me, { user, group }: UsageSearch): Grouping {
  if (user) return "model";
  if (isStaff(me)) return group ? "user" : "group";
  return isGroupAdmin(me) ? "user" : "kind";
}

/** Whether a role sees more than its own use. */
export function seesOthers(me: Me): boolean {
  return isStaff(me) || isGroupAdmin(me);
}

/** First and last day of a period, both included. */
export function daysOf(
  period: UsagePeriod,
  today: Date,
): Pick<UsageQuery, "first_day" | "last_day"> {
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate()];
  const back = (days: number) => new Date(year, month, day - days + 1);
  const first = {
    month: new Date(year, month, 1),
    lastMonth: new Date(year, month - 1, 1),
    week: back(7),
    days30: back(30),
    days90: back(90),
    year: back(365),
  }[period];
  const last = period === "lastMonth" ? new Date(year, month, 0) : today;
  return { first_day: isoDay(first), last_day: isoDay(last) };
}

/** The date of a moment by the site's clock, whose days are counted; as a date of this browser's. */
export function dateAtSite(at: Date, zone: string | undefined): Date {
  const format = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    year: "numeric",
    month: "numeric",
    day: "numeric",
  });
  const parts = Object.fromEntries(
    format.formatToParts(at).map(({ type, value }) => [type, value]),
  );
  return new Date(Number(parts.year), Number(parts.month) - 1, Number(parts.day));
}

export function isoDay(at: Date): string {
  const pad = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
}

/** The steps of a chart: no more bars than can be told apart. */
export function stepOf({ first_day, last_day }: UsageQuery): "day" | "week" | "month" {
  const days = (Date.parse(last_day) - Date.parse(first_day)) / 86_400_000;
  if (days <= 35) return "day";
  return days <= 190 ? "week" : "month";
}

export const GPU_HOUR = 3_600_000;

/** GPU time as GPU-hours, or CPU time as core-hours. */
export function formatHours(milliSeconds: number, language: string): string {
  return formatSome(milliSeconds / GPU_HOUR, language);
}

/** Mean use of the GPU time that has samples, in percent; null where none has. */
export function meanUse({ busy_milli_s, sampled_milli_s }: UsageRow): number | null {
  return sampled_milli_s > 0 ? (100 * busy_milli_s) / sampled_milli_s : null;
}

/** Energy in kWh and carbon in kg of CO2e; null where nothing was measured, or no factor is set. */
export function energyOf({ energy_j, carbon_g }: UsageRow) {
  return {
    kwh: energy_j === null ? null : energy_j / 3_600_000,
    kg: carbon_g === null ? null : carbon_g / 1000,
  };
}

export interface StackedBar {
  period: string;
  total: number;
  parts: { key: string; from: number; to: number }[];
}

export interface StackedChart {
  /** Subjects from the bottom of each bar, the largest first. */
  keys: { key: string; row: UsageRow }[];
  bars: StackedBar[];
  top: number;
}

/** Rows by period and subject as stacked bars; a step in which nothing was held is an empty bar. */
export function stackedChart(rows: readonly UsageRow[], query: UsageQuery): StackedChart {
  const sums = new Map<string, { row: UsageRow; sum: number }>();
  for (const row of rows) {
    const known = sums.get(row.key);
    sums.set(row.key, { row, sum: (known?.sum ?? 0) + row.gpu_milli_s });
  }
  const keys = [...sums.entries()]
    .sort(([one, a], [other, b]) => rank(one) - rank(other) || b.sum - a.sum)
    .map(([key, { row }]) => ({ key, row }));
  const held = new Map(rows.map((row) => [`${row.period} ${row.key}`, row.gpu_milli_s]));
  const bars = periodsOf(query).map((period) => {
    let height = 0;
    const parts = keys.flatMap(({ key }) => {
      const amount = held.get(`${period} ${key}`) ?? 0;
      height += amount;
      return amount > 0 ? [{ key, from: height - amount, to: height }] : [];
    });
    return { period, total: height, parts };
  });
  return { keys, bars, top: Math.max(0, ...bars.map(({ total }) => total)) };
}

/** What is not named comes last. */
function rank(key: string): number {
  return key === "other" ? 1 : 0;
}

/** The first day of every step of a query. */
function periodsOf(query: UsageQuery): string[] {
  const step = stepOf(query);
  const last = dayOf(query.last_day);
  const found: string[] = [];
  let at = dayOf(query.first_day);
  if (step === "week") at.setDate(at.getDate() - ((at.getDay() + 6) % 7));
  if (step === "month") at.setDate(1);
  while (at <= last) {
    found.push(isoDay(at));
    at = new Date(at.getFullYear(), at.getMonth(), at.getDate());
    if (step === "month") at.setMonth(at.getMonth() + 1);
    else at.setDate(at.getDate() + (step === "week" ? 7 : 1));
  }
  return found;
}

function dayOf(iso: string): Date {
  const [year = 0, month = 1, day = 1] = iso.split("-").map(Number);
  return new Date(year, month - 1, day);
}

/** One day of the calendar: its column, its row from Monday on, and what was held. */
export interface CalendarDay {
  day: string;
  week: number;
  weekday: number;
  held: number;
  /** From 0, nothing held, to 4, as much as on the fullest day. */
  level: number;
}

export interface UsageCalendar {
  days: CalendarDay[];
  /** The columns in which months begin. */
  months: { week: number; day: string }[];
  fullest: CalendarDay | undefined;
  used: number;
}

export const CALENDAR_WEEKS = 53;
const LEVELS = 4;

/** First and last day of the calendar: whole weeks up to today. */
export function calendarDays(today: Date): Pick<UsageQuery, "first_day" | "last_day"> {
  const back = 7 * (CALENDAR_WEEKS - 1) + ((today.getDay() + 6) % 7);
  const first = new Date(today.getFullYear(), today.getMonth(), today.getDate() - back);
  return { first_day: isoDay(first), last_day: isoDay(today) };
}

/** Every day from the first to the last, also those on which nothing was held. */
export function usageCalendar(
  rows: readonly UsageRow[],
  { first_day, last_day }: Pick<UsageQuery, "first_day" | "last_day">,
): UsageCalendar {
  const held = new Map(rows.map(({ period, gpu_milli_s }) => [period, gpu_milli_s]));
  const most = Math.max(0, ...held.values());
  const days: CalendarDay[] = [];
  const months: UsageCalendar["months"] = [];
  const last = dayOf(last_day);
  for (const at = dayOf(first_day); at <= last; at.setDate(at.getDate() + 1)) {
    const day = isoDay(at);
    const amount = held.get(day) ?? 0;
    const week = Math.floor(days.length / 7);
    days.push({
      day,
      week,
      weekday: days.length % 7,
      held: amount,
      level: most === 0 ? 0 : Math.ceil((LEVELS * amount) / most),
    });
    if (at.getDate() === 1) months.push({ week, day });
  }
  const used = days.filter((day) => day.held > 0);
  return {
    days,
    months,
    fullest: used.find((day) => day.held === most),
    used: used.length,
  };
}

/** The last months, this one first: `2026-11`. */
export function reportMonths(today: Date, count = 12): string[] {
  return Array.from({ length: count }, (_, back) =>
    isoDay(new Date(today.getFullYear(), today.getMonth() - back, 1)).slice(0, 7),
  );
}

/** The address of a file of the API. */
export function fileAddress(path: string, query: object): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`;
}

interface ReportFile {
  month: string | undefined;
  group: string | undefined;
  language: string;
  format: "csv" | "pdf";
}

export function reportFile(asked: ReportFile): string {
  return fileAddress("/api/v1/usage/report", asked);
}

/** GPU time of attempts that were evicted or lost: it was held, and has to be held again. */
export function heldInVain(outcomes: readonly UsageRow[]): { preempted: number; lost: number } {
  const held = (key: string) => outcomes.find((row) => row.key === key)?.gpu_milli_s ?? 0;
  return { preempted: held("preempted"), lost: held("lost") };
}

/** Three figures of a cluster's week; null where nothing is known. */
export interface WeekFigures {
  week: string;
  hoursPerGpuDay: number | null;
  utilisation: number | null;
  tasks: number;
}

/** Mean use of the held GPUs, times the part of the time for which GPUs were held. */
export function weekFigures(row: ClusterWeek): WeekFigures {
  const held = row.gpu_s > 0 ? row.held_milli_s / 1000 / row.gpu_s : null;
  const use = row.sampled_milli_s > 0 ? row.busy_milli_s / row.sampled_milli_s : null;
  return {
    week: row.week,
    hoursPerGpuDay: held === null ? null : 24 * held,
    utilisation: held === null || use === null ? null : 100 * held * use,
    tasks: row.tasks,
  };
}

/** The figures of the last week that is over; the last of these weeks is the present one. */
export function lastFullWeek(weeks: readonly ClusterWeek[]): WeekFigures | undefined {
  const row = weeks.at(-2);
  return row && weekFigures(row);
}

/** What the story reports of its cluster, before and after. */
export const STORY = {
  hoursPerGpuDay: { before: 14.4, after: 22.8 },
  utilisation: { before: 30, after: 80 },
  tasks: { before: 160, after: 368 },
} as const;
export type StoryFigure = keyof typeof STORY;

/** The part of the installed GPU time that simulated cards are. */
export function simulatedPart(weeks: readonly ClusterWeek[]): number {
  const all = weeks.reduce((sum, row) => sum + row.gpu_s, 0);
  return all === 0 ? 0 : weeks.reduce((sum, row) => sum + row.simulated_gpu_s, 0) / all;
}
