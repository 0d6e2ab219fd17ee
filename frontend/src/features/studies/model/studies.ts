/** What a study asks, and what it found, as rows and lines. Pure. */
import type {
  Story,
  StoryFigures,
  Study,
  StudyFigures,
  StudyFindings,
  StudyInput,
} from "@/shared/api/types";
import { momentAt } from "@/shared/i18n/clock";

/** A rule of a pool with the value that it gets, as the form names it. */
export const RULES = [
  "queue.best_effort",
  "queue.strict",
  "order.age",
  "order.shortest",
  "order.least_served",
] as const;

/** The pool of a quota that holds in all of them together. */
export const EVERY_POOL = "";

type PoolRules = NonNullable<StudyInput["pools"]>[number]["policy"];

/** One of the changes that are tried together. */
export interface ChangeFields {
  kind: "nodes" | "quota" | "rule";
  rule?: (typeof RULES)[number];
  like?: string;
  count?: number;
  group?: string;
  pool?: string;
  /** In GPUs; empty stays as it is. */
  deserved?: number | null;
  ceiling?: number | null;
}

export interface StudyForm {
  title?: string;
  /** Whose work is looked at, with the groups below; none is everybody's. */
  group?: string;
  days: number;
  changes: ChangeFields[];
}

/** The request for a study of all changes together; several rules of one pool are one policy. */
export function studyInput({ title = "", group, days, changes }: StudyForm): StudyInput {
  const of = (kind: ChangeFields["kind"]) => changes.filter((change) => change.kind === kind);
  const nodes = of("nodes").map(({ like = "", count }) => ({ like, count: count ?? 1 }));
  const quotas = of("quota").map(({ group = "", pool, deserved, ceiling }) => ({
    group,
    pool: pool || null,
    resource: "gpu" as const,
    ...milli("deserved", deserved),
    ...milli("ceiling", ceiling),
  }));
  const policies = new Map<string, PoolRules>();
  for (const { pool = "", rule } of of("rule")) {
    const [name = "", value = ""] = rule?.split(".") ?? [];
    policies.set(pool, { ...policies.get(pool), [name]: value } as PoolRules);
  }
  const pools = [...policies].map(([pool, policy]) => ({ pool, policy }));
  return {
    title,
    ...(group && { group }),
    days,
    ...(nodes.length > 0 && { nodes }),
    ...(quotas.length > 0 && { quotas }),
    ...(pools.length > 0 && { pools }),
  };
}

function milli(name: "deserved" | "ceiling", gpus: number | null | undefined) {
  return gpus == null ? {} : { [name]: Math.round(1000 * gpus) };
}

/** The ids of a group and of those below it. */
export function idsWithin(
  groups: readonly { id: string; parent: string | null }[],
  top: string,
): Set<string> {
  const found = new Set([top]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { id, parent } of groups) if (parent && found.has(parent)) found.add(id);
  }
  return found;
}

export const MEASURES = [
  "jobs",
  "mean_wait_s",
  "p99_wait_s",
  "longest_wait_s",
  "mean_completion_s",
  "utilisation_permille",
  "gpu_hours",
  "evictions",
  "never_start",
] as const satisfies readonly (keyof StudyFigures)[];

export type Measure = (typeof MEASURES)[number];

/** Whether more or less of a measure is better; use of GPUs is neither, more servers only spread it. */
const BETTER: Partial<Record<Measure, "more" | "less">> = {
  jobs: "more",
  mean_wait_s: "less",
  p99_wait_s: "less",
  longest_wait_s: "less",
  mean_completion_s: "less",
  evictions: "less",
  never_start: "less",
};

type Trend = "better" | "worse" | "same";

export function isOver({ phase }: Pick<Study, "phase">): boolean {
  return phase === "done" || phase === "failed";
}

/** How the changed figure stands to today's; null where one is not known. */
export function trendOf(measure: Measure, today: number | null, changed: number | null): Trend {
  const wanted = BETTER[measure];
  if (!wanted || today === null || changed === null || today === changed) return "same";
  return changed > today === (wanted === "more") ? "better" : "worse";
}

/** The two simulations that a chart compares, in the order of its lines. */
export const TOLD = { past: ["today", "changed"], story: ["before", "after"] } as const;

export interface Curve {
  kind: keyof typeof TOLD;
  name: "busy_permille" | "waiting" | "held" | "busy";
  times: readonly number[];
  /** The values of each simulation. */
  values: readonly [readonly number[], readonly number[]];
}

/** Both simulations over one span of time: each value is shown at the nearest point of the other. */
export function curvesOf({ curves }: StudyFindings): Curve[] {
  const { today, changed } = curves;
  const longer = (today.at(-1)?.at_ms ?? 0) >= (changed.at(-1)?.at_ms ?? 0) ? today : changed;
  const times = longer.map(({ at_ms }) => at_ms);
  return (["busy_permille", "waiting"] as const).map((name) => {
    return {
      kind: "past",
      name,
      times,
      values: [along(times, today, name), along(times, changed, name)],
    };
  });
}

type Point = StudyFindings["curves"]["today"][number];

function along(
  times: readonly number[],
  points: readonly Point[],
  name: "busy_permille" | "waiting",
): number[] {
  let place = 0;
  const end = points.at(-1)?.at_ms ?? 0;
  return times.map((time) => {
    while (place + 1 < points.length && (points[place + 1]?.at_ms ?? 0) <= time) place += 1;
    return time > end ? 0 : (points[place]?.[name] ?? 0);
  });
}

/** Figures of a story, by the names that pages of usage give to those of this cluster. */
export const STORY_FIGURES = {
  hoursPerGpuDay: "card_hours_per_card_day",
  utilisation: "utilisation_pct",
  tasks: "tasks_per_week",
} as const;
export type StoryFigureName = keyof typeof STORY_FIGURES;

/** What was told of another cluster, and what this one did; null is not known. */
export type ToldFigures = Record<StoryFigureName, { before: number; after: number }>;
export type OwnFigures = Record<StoryFigureName, number | null>;

export const STORY_MEASURES = [
  "card_hours_per_card_day",
  "utilisation_pct",
  "tasks_per_week",
  "notebook_wait_s_max",
  "task_hours_mean",
  "notebooks_without_a_card_per_week",
  "evictions_per_week",
] as const satisfies readonly (keyof StoryFigures)[];
export type StoryMeasure = (typeof STORY_MEASURES)[number];

export interface StoryBar {
  key: "toldBefore" | "before" | "toldAfter" | "after" | "limit" | "ours";
  value: number | null;
  /** In percent of the longest bar. */
  width: number;
}

/** One figure as bars of one scale: told, simulated, what no scheduler can exceed, and this cluster's. */
export function storyBars(
  name: StoryFigureName,
  { before, after, limit }: Story,
  told: ToldFigures,
  own: OwnFigures | undefined,
): { bars: StoryBar[]; isReached: boolean } {
  const figure = STORY_FIGURES[name];
  const values: [StoryBar["key"], number | null][] = [
    ["toldBefore", told[name].before],
    ["before", before[figure]],
    ["toldAfter", told[name].after],
    ["after", after[figure]],
    ["limit", limit[figure]],
    ["ours", own?.[name] ?? null],
  ];
  const longest = Math.max(...values.map(([, value]) => value ?? 0), Number.MIN_VALUE);
  return {
    bars: values.map(([key, value]) => ({ key, value, width: (100 * (value ?? 0)) / longest })),
    isReached: after[figure] >= told[name].after,
  };
}

/** Monday of a week in which no clock changes; hours of a scenario are shown as if they were of it. */
const MONDAY = "2024-01-08T00:00:00";
const HOUR_MS = 3_600_000;

/** The last week of a scenario, hour by hour. */
export function storyCurves({ curves: { before, after } }: Story): Curve[] {
  const monday = momentAt(MONDAY).getTime();
  const times = before.map(({ hour }) => monday + hour * HOUR_MS);
  return (["held", "busy", "waiting"] as const).map((name) => ({
    kind: "story",
    name,
    times,
    values: [before.map((hour) => hour[name]), after.map((hour) => hour[name])],
  }));
}
