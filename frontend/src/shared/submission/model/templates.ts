/** What a template means for a form: defaults, locked fields, ranges. Pure. */
import type {
  EnvironmentInput,
  JobInput,
  Template,
  TemplateInput,
  Workload,
} from "@/shared/api/types";
import type { SubmissionBody } from "./submission";

/** Fields of one submission; the server keeps them out of templates. */
type Once = "name" | "template" | "held" | "not_before" | "priority_until" | "dependencies";
const ONCE = ["name", "held", "not_before", "priority_until", "dependencies", "array"];

/** Fields that a template may hold. */
export type SettingName = Exclude<keyof JobInput | keyof EnvironmentInput, Once>;

export type TemplateTerms = Pick<Template, "settings" | "locked" | "ranges">;

/** The settings of a template in the body of a submission. */
export function settingsOf(body: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !ONCE.includes(name)));
}

/**
 * The body that the form makes, with its template. A default that was taken away is null: left out,
 * the server would add it again. What is locked is left to the server.
 */
export function withTemplate<Body extends object>(body: Body, template: Template | null): Body {
  if (!template) return body;
  const given = Object.entries(body).filter(([name]) => !template.locked.includes(name));
  const taken = Object.keys(template.settings).filter(
    (name) => !(name in body || template.locked.includes(name)),
  );
  return {
    ...Object.fromEntries(given),
    ...Object.fromEntries(taken.map((name) => [name, null])),
    template: template.id,
  } as Body;
}

/** How many of the API's units one unit of a form is. */
const SCALES: Partial<Record<string, number>> = {
  cpu_milli: 1000,
  memory_mib: 1024,
  gpu_memory_mib: 1024,
  gpu_memory_ceiling_mib: 1024,
  gpu_memory_min_mib: 1024,
  gpu_milli: 10,
  time_limit_s: 3600,
};

export function scaleOf(name: string): number {
  return SCALES[name] ?? 1;
}

/** The field of the API behind a number of the form. */
const BEHIND: Partial<Record<string, string>> = {
  cpu: "cpu_milli",
  memory_gib: "memory_mib",
  gpu_pct: "gpu_milli",
  gpu_memory_gib: "gpu_memory_mib",
  gpu_memory_ceiling_gib: "gpu_memory_ceiling_mib",
  gpu_memory_min_gib: "gpu_memory_min_mib",
  pause_minutes: "restart",
  free_codes: "restart",
  final_codes: "restart",
};

export function settingBehind(field: string): string {
  return BEHIND[field] ?? field;
}

/** Who sees a template: what the form of a template names its owner. */
export const MINE = "user";
export const EVERYONE = "platform";

/** The owner as the server takes it; anything else is the id of a group. */
export function ownerOf(owner: string): Pick<TemplateInput, "scope" | "group"> {
  if (owner === MINE || owner === EVERYONE) return { scope: owner };
  return { scope: "group", group: owner };
}

interface Bounds {
  min: number;
  max: number;
}

/** The bounds of a form's number within those of the template. */
export function narrowed(field: string, bounds: Bounds, ranges: Template["ranges"]): Bounds {
  const name = settingBehind(field);
  const { min, max } = ranges[name] ?? {};
  const scale = field === name ? 1 : scaleOf(name);
  return {
    min: min === undefined ? bounds.min : Math.max(bounds.min, min / scale),
    max: max === undefined ? bounds.max : Math.min(bounds.max, max / scale),
  };
}

/** Settings that a template can bound. */
export function numbersOf(settings: Record<string, unknown>): string[] {
  return Object.keys(settings).filter((name) => typeof settings[name] === "number");
}

const WORDS_MAX = 60;

/** A setting in few words: numbers in the units of forms, names of variables without their values. */
export function settingWords(name: string, value: unknown): string {
  const text = wordsOf(name, value);
  return text.length > WORDS_MAX ? `${text.slice(0, WORDS_MAX)}…` : text;
}

function wordsOf(name: string, value: unknown): string {
  if (typeof value === "number") return String(value / scaleOf(name));
  if (typeof value === "boolean") return value ? "✓" : "✗";
  if (Array.isArray(value)) return value.map((item) => wordsOf(name, item)).join(" ");
  if (typeof value === "object" && value !== null) return namesIn(value);
  return String(value ?? "").trim();
}

/** What stands for an object: its own name or rule, else the names of its fields. */
function namesIn(value: object): string {
  const { name, rule = name } = value as { name?: unknown; rule?: unknown };
  return typeof rule === "string" ? rule : Object.keys(value).join(" ");
}

/** A template as what a form begins with. */
export function bodyOf({ settings }: TemplateTerms): SubmissionBody {
  return settings as SubmissionBody;
}

/** Amounts of a range as a form holds them, in its units. */
export interface RangeRow {
  min?: number | null;
  max?: number | null;
}

export function rangeRows(ranges: Template["ranges"]): Record<string, RangeRow> {
  return mapped(ranges, (amount, name) => amount / scaleOf(name));
}

/** The ranges as the server takes them; those without any bound are left out. */
export function boundsOf(rows: Record<string, RangeRow | undefined> = {}): Template["ranges"] {
  return mapped(rows, (amount, name) => Math.round(amount * scaleOf(name)));
}

function mapped(
  rows: Record<string, RangeRow | undefined>,
  change: (amount: number, name: string) => number,
): Record<string, Record<string, number>> {
  const found = Object.entries(rows).map(([name, row]) => {
    const bounds = Object.entries(row ?? {}).flatMap(([end, amount]) =>
      typeof amount === "number" ? [[end, change(amount, name)] as const] : [],
    );
    return [name, Object.fromEntries(bounds)] as const;
  });
  return Object.fromEntries(found.filter(([, bounds]) => Object.keys(bounds).length > 0));
}

const LAST = 5;

/** The newest work of each configuration; names and programs do not make one. */
export function lastConfigurations(works: readonly Workload[]): Workload[] {
  const seen = new Set<string>();
  const newest = works.filter((work) => {
    const { image, pool, gpus, slices, gpu_milli, gpu_memory_mib, mig_profile } = work;
    const { replicas, cpu_milli, memory_mib } = work;
    const devices = [gpus, slices, gpu_milli, gpu_memory_mib, mig_profile];
    const key = JSON.stringify([image.id, pool.id, devices, replicas, cpu_milli, memory_mib]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
  return newest.slice(0, LAST);
}
