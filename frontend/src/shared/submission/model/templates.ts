/** What templates and rules mean for a form: defaults, locked fields, ranges. Pure. */
import type {
  EnvironmentInput,
  FieldRule,
  JobInput,
  SubmissionRules,
  SubmissionRulesInput,
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

// Rules of groups and pools, and how their own form holds them.

export interface RulesOwner {
  scope: "group" | "pool";
  id: string;
}

type Ranges = Record<string, { min?: number; max?: number }>;

/** The bounds that rules set, by field of the API. */
export function ruleRangesOf(rules: readonly FieldRule[]): Ranges {
  return Object.fromEntries(
    rules.map(({ field, min, max }) => [
      field,
      { ...(min !== null && { min }), ...(max !== null && { max }) },
    ]),
  );
}

/** The defaults of rules as a part of the body of a submission. */
export function ruleDefaultsOf(rules: readonly FieldRule[]): Record<string, unknown> {
  const set = rules.filter((rule) => rule.default !== null);
  return Object.fromEntries(set.map((rule) => [rule.field, rule.default]));
}

/** The numbers of a body that are outside of their ranges, moved to the nearest that is inside. */
export function fittedOf(body: object | null, rules: readonly FieldRule[]): object {
  const values = (body ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    rules.flatMap(({ field, min, max }) => {
      const value = values[field];
      if (typeof value !== "number") return [];
      const fitted = Math.min(Math.max(value, min ?? value), max ?? Number.POSITIVE_INFINITY);
      return fitted === value ? [] : [[field, fitted] as const];
    }),
  );
}

/** What a form leaves out of its body, because the server would fill it in the same way. */
const USUAL: Record<string, unknown> = {
  launcher: "plain",
  notice_signal: "SIGTERM",
  home: true,
  silence: null,
  retries_max: 0,
};

/**
 * The body that the form makes, under rules. What it leaves out is written where a rule has another
 * default; what is locked is left to the server.
 */
export function withRules<Body extends object>(body: Body, rules: readonly FieldRule[]): Body {
  const locked = rules.filter(({ is_locked }) => is_locked).map(({ field }) => field);
  const named = rules
    .map(({ field }) => field)
    .filter((field) => field in USUAL && !(field in body));
  const said = Object.fromEntries(named.map((field) => [field, USUAL[field]]));
  const whole = Object.entries({ ...said, ...body });
  return Object.fromEntries(whole.filter(([name]) => !locked.includes(name))) as Body;
}

export const NUMBERS = [
  "gpus",
  "slices",
  "gpu_milli",
  "gpu_memory_mib",
  "cpu_milli",
  "memory_mib",
  "time_limit_s",
  "replicas",
  "retries_max",
] as const;
export const FLAGS = ["preemptible", "home"] as const;
const WORDS = ["image", "priority", "launcher", "notice_signal", "silence", "mig_profile"] as const;
export const RULED = [...NUMBERS, ...WORDS, ...FLAGS] as const;
export type RuledField = (typeof RULED)[number];
export type RuledWord = (typeof WORDS)[number];

export function isNumber(field: string): boolean {
  return (NUMBERS as readonly string[]).includes(field);
}

export function isWord(field: string): field is RuledWord {
  return (WORDS as readonly string[]).includes(field);
}

/** The values that a word can have at all; none for names of images and profiles. */
export const KNOWN_WORDS: Partial<Record<RuledWord, readonly string[]>> = {
  priority: ["low", "normal", "high"],
  launcher: ["plain", "torchrun", "accelerate", "deepspeed", "mpi", "ray", "dask"],
  notice_signal: ["none", "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"],
  silence: ["replace"],
};

/** One field of the form that sets rules; numbers in the units of forms. */
export interface RuleRow {
  mode: "open" | "locked" | "required";
  value?: number | string | boolean | null;
  min?: number | null;
  max?: number | null;
  choices?: string[];
}

export type RuleRows = Record<string, RuleRow | undefined>;

export function ruleRows(rules: SubmissionRules): RuleRows {
  return Object.fromEntries(rules.rule_fields.map((field) => [field, rowOf(rules, field)]));
}

function rowOf(rules: SubmissionRules, field: string): RuleRow {
  const { min, max } = rules.ranges[field] ?? {};
  const scaled = (amount: number | undefined) =>
    amount === undefined ? null : amount / scaleOf(field);
  const value = rules.defaults[field] as RuleRow["value"];
  const mode = rules.required.includes(field) ? "required" : "open";
  return {
    mode: rules.locked.includes(field) ? "locked" : mode,
    value: typeof value === "number" ? value / scaleOf(field) : (value ?? null),
    min: scaled(min),
    max: scaled(max),
    choices: rules.choices[field] ?? [],
  };
}

/** The rows as the server takes them. Rules that a page does not show are kept. */
export function rulesBody(rows: RuleRows, before: SubmissionRules): SubmissionRulesInput {
  const shown = before.rule_fields.map(
    (field) => [field, rows[field] ?? { mode: "open" }] as const,
  );
  const scaled = (field: string, amount: number) => Math.round(amount * scaleOf(field));
  const pick = <T>(choose: (field: string, row: RuleRow) => T | undefined) =>
    Object.fromEntries(
      shown.flatMap(([field, row]) => {
        const value = choose(field, row);
        return value === undefined ? [] : [[field, value] as const];
      }),
    ) as Record<string, T>;
  const named = (wanted: RuleRow["mode"]) =>
    shown.filter(([, { mode }]) => mode === wanted).map(([field]) => field);
  const others = before.required.filter((field) => !before.rule_fields.includes(field));
  return {
    defaults: pick((field, { value }) => {
      if (typeof value === "number") return scaled(field, value);
      return value === null || value === "" ? undefined : value;
    }),
    locked: named("locked"),
    required: [...named("required"), ...others],
    ranges: pick((field, { min, max }) => {
      if (typeof min !== "number" && typeof max !== "number") return undefined;
      return {
        ...(typeof min === "number" && { min: scaled(field, min) }),
        ...(typeof max === "number" && { max: scaled(field, max) }),
      };
    }),
    choices: pick((_field, { choices }) => (choices?.length ? choices : undefined)),
  };
}
