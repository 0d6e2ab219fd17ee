/** What a study asks, and what it found, as rows and lines. Pure. */
import type { Study, StudyFigures, StudyFindings, StudyInput } from "@/shared/api/types";

/** A rule of a pool with the value that it gets, as the form names it. */
export const RULES = [
  "queue.best_effort",
  "queue.strict",
  "order.age",
  "order.shortest",
  "order.least_served",
] as const;

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
  days: number;
  changes: ChangeFields[];
}

/** The request for a study of all changes together; several rules of one pool are one policy. */
export function studyInput({ title = "", days, changes }: StudyForm): StudyInput {
  const of = (kind: ChangeFields["kind"]) => changes.filter((change) => change.kind === kind);
  const nodes = of("nodes").map(({ like = "", count }) => ({ like, count: count ?? 1 }));
  const quotas = of("quota").map(({ group = "", pool = null, deserved, ceiling }) => ({
    group,
    pool,
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
    days,
    ...(nodes.length > 0 && { nodes }),
    ...(quotas.length > 0 && { quotas }),
    ...(pools.length > 0 && { pools }),
  };
}

function milli(name: "deserved" | "ceiling", gpus: number | null | undefined) {
  return gpus == null ? {} : { [name]: Math.round(1000 * gpus) };
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

export interface Curve {
  name: "busy_permille" | "waiting";
  times: readonly number[];
  today: readonly number[];
  changed: readonly number[];
}

/** Both simulations over one span of time: each value is shown at the nearest point of the other. */
export function curvesOf({ curves }: StudyFindings): Curve[] {
  const { today, changed } = curves;
  const longer = (today.at(-1)?.at_ms ?? 0) >= (changed.at(-1)?.at_ms ?? 0) ? today : changed;
  const times = longer.map(({ at_ms }) => at_ms);
  return (["busy_permille", "waiting"] as const).map((name) => {
    const lines = { today: along(times, today, name), changed: along(times, changed, name) };
    return { name, times, ...lines };
  });
}

type Point = StudyFindings["curves"]["today"][number];

function along(times: readonly number[], points: readonly Point[], name: Curve["name"]): number[] {
  let place = 0;
  const end = points.at(-1)?.at_ms ?? 0;
  return times.map((time) => {
    while (place + 1 < points.length && (points[place + 1]?.at_ms ?? 0) <= time) place += 1;
    return time > end ? 0 : (points[place]?.[name] ?? 0);
  });
}
