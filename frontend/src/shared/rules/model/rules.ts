/** What rules of groups and pools mean for a form, and how their own form holds them. Pure. */
import type { FieldRule, SubmissionRules, SubmissionRulesInput } from "@/shared/api/types";
import { scaleOf } from "@/shared/submission/model/templates";

export type RuledKind = "environment" | "training";

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
    version: before.version,
  };
}
