/** Every rule of a pool: where it stands in the policy, how it is edited, and its value. Pure. */
import { hashKey } from "@tanstack/react-query";
import type { Policy, PolicyChange } from "@/shared/api/types";

type KnobName =
  | Exclude<keyof Policy, "lending">
  | Exclude<keyof Policy["lending"], "windows">
  | "windows";

interface Base<Name extends KnobName> {
  name: Name;
  /** Stands in `lending`. */
  isLending?: true;
}

export type Knob =
  | (Base<"queue" | "packing" | "order" | "isolation" | "silence"> & {
      kind: "choice";
      words: readonly string[];
    })
  | (Base<"preemption" | "reclaim" | "consolidate" | "by_day" | "mix_groups"> & { kind: "flag" })
  | (Base<
      "backfill_depth" | "stretch" | "victims_max" | "keep_gpus" | "burst_pct" | "idle_keeps_max"
    > & {
      kind: "count";
    })
  | (Base<
      | "patience_s"
      | "turn_s"
      | "min_runtime_s"
      | "reclaim_min_runtime_s"
      | "grace_s"
      | "bound_s"
      | "idle_warn_s"
      | "idle_release_s"
      | "idle_stop_s"
      | "idle_keep_s"
    > & {
      kind: "time";
      /** Seconds of the unit in which it is typed. */
      unit_s: 1 | 60 | 3600;
    })
  | (Base<"fall_back" | "to_pools"> & { kind: "pools" })
  | (Base<"windows"> & { kind: "windows" });

type SectionName = "line" | "place" | "room" | "lending" | "sharing" | "idle" | "silence";

export const SECTIONS: readonly { name: SectionName; knobs: readonly Knob[] }[] = [
  {
    name: "line",
    knobs: [
      { name: "queue", kind: "choice", words: ["best_effort", "strict"] },
      { name: "backfill_depth", kind: "count" },
      { name: "order", kind: "choice", words: ["age", "shortest", "least_served"] },
      { name: "patience_s", kind: "time", unit_s: 3600 },
      { name: "stretch", kind: "count" },
      { name: "turn_s", kind: "time", unit_s: 60 },
    ],
  },
  {
    name: "place",
    knobs: [
      { name: "packing", kind: "choice", words: ["pack", "spread"] },
      { name: "fall_back", kind: "pools" },
    ],
  },
  {
    name: "room",
    knobs: [
      { name: "preemption", kind: "flag" },
      { name: "reclaim", kind: "flag" },
      { name: "consolidate", kind: "flag" },
      { name: "min_runtime_s", kind: "time", unit_s: 60 },
      { name: "reclaim_min_runtime_s", kind: "time", unit_s: 60 },
      { name: "grace_s", kind: "time", unit_s: 1 },
      { name: "victims_max", kind: "count" },
    ],
  },
  {
    name: "lending",
    knobs: [
      { name: "to_pools", kind: "pools", isLending: true },
      { name: "by_day", kind: "flag", isLending: true },
      { name: "keep_gpus", kind: "count", isLending: true },
      { name: "bound_s", kind: "time", unit_s: 1, isLending: true },
      { name: "windows", kind: "windows", isLending: true },
    ],
  },
  {
    name: "sharing",
    knobs: [
      {
        name: "isolation",
        kind: "choice",
        words: ["mig", "cgroup", "hami", "mps", "timeslice"],
      },
      { name: "burst_pct", kind: "count" },
      { name: "mix_groups", kind: "flag" },
    ],
  },
  {
    name: "idle",
    knobs: [
      { name: "idle_release_s", kind: "time", unit_s: 60 },
      { name: "idle_stop_s", kind: "time", unit_s: 3600 },
      { name: "idle_warn_s", kind: "time", unit_s: 60 },
      { name: "idle_keep_s", kind: "time", unit_s: 60 },
      { name: "idle_keeps_max", kind: "count" },
    ],
  },
  {
    name: "silence",
    knobs: [{ name: "silence", kind: "choice", words: ["keep", "replace"] }],
  },
];

/** Where the knob's value stands in a policy, as a form names it. */
export function pathOf(knob: Knob): string[] {
  return knob.isLending ? ["lending", knob.name] : [knob.name];
}

/** The rule that a fault of the form is about. */
export function knobAt(pointer: string): Knob | undefined {
  const knobs = SECTIONS.flatMap((section) => section.knobs);
  return knobs.find((knob) => pointer === `/${pathOf(knob).join("/")}`);
}

export function knobValue(policy: Policy, knob: Knob): unknown {
  const holder: Record<string, unknown> = knob.isLending ? policy.lending : policy;
  return holder[knob.name];
}

/** Whether a value is another one than the product's default; lists compare item by item. */
export function isChanged(value: unknown, standard: unknown): boolean {
  return JSON.stringify(value) !== JSON.stringify(standard);
}

/** The rules that are others than before; lending is one rule. */
export function policyChange(before: Policy, after: Policy): PolicyChange {
  const changed = Object.entries(after).filter(
    ([name, value]) => hashKey([value]) !== hashKey([before[name as keyof Policy]]),
  );
  return Object.fromEntries(changed);
}
