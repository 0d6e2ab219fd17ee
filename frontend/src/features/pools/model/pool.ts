/** A pool as its form holds it: how its GPUs are shared is one choice of four. Pure. */
import type { Pool, PoolChange, PoolInput } from "@/shared/api/types";
import { type DeviceKind, deviceKindOf } from "@/shared/submission/model/devices";

/** Names that the server takes. */
export const POOL_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const PURPOSES = [
  "development",
  "training",
  "inference",
] as const satisfies readonly PoolInput["purpose"][];
/** Isolation between the tenants of a card, strongest first; the codes are the server's. */
export const ISOLATIONS = ["cgroup", "hami", "mps", "timeslice"] as const;

export const GIVES = [
  "gpus",
  "slices",
  "share",
  "profile",
] as const satisfies readonly DeviceKind[];

/** Into how many slices a card can be cut; hardware counts its own. */
export const SLICES = { slices: [2, 4, 5, 8, 10], profile: [4, 8] } as const;

export interface PoolForm {
  name: string;
  title_en: string;
  title_zh: string;
  purpose: (typeof PURPOSES)[number];
  gives: DeviceKind;
  /** Where GPUs are cut. */
  slices_per_card?: number;
  slice_mib?: number;
  /** Of a new pool only; later it is a rule among others. */
  isolation?: (typeof ISOLATIONS)[number];
  cpu_overcommit_pct: number;
  default_time_limit_s: number;
  time_limit_s_max: number;
}

/** What a new pool begins with. */
export const POOL_DEFAULTS: Omit<PoolForm, "name" | "title_en" | "title_zh"> = {
  purpose: "development",
  gives: "slices",
  slices_per_card: 8,
  slice_mib: 4096,
  isolation: "cgroup",
  cpu_overcommit_pct: 100,
  default_time_limit_s: 8 * 3600,
  time_limit_s_max: 7 * 24 * 3600,
};

export function isSliced(gives: DeviceKind): gives is keyof typeof SLICES {
  return gives === "slices" || gives === "profile";
}

export function poolForm(pool: Pool): PoolForm {
  const gives = deviceKindOf(pool);
  const { name, title_en, title_zh, purpose, cpu_overcommit_pct } = pool;
  const { default_time_limit_s, time_limit_s_max } = pool;
  return {
    ...POOL_DEFAULTS,
    ...(isSliced(gives) && { slices_per_card: pool.slices_per_card, slice_mib: pool.slice_mib }),
    ...{ name, title_en, title_zh, purpose, gives, cpu_overcommit_pct },
    ...{ default_time_limit_s, time_limit_s_max },
  };
}

/** A new pool, with the isolation that its policy begins with. */
export function poolInput(form: PoolForm): PoolInput {
  const { purpose, gives, cpu_overcommit_pct, default_time_limit_s, time_limit_s_max } = form;
  const [slices_per_card, slice_mib] = isSliced(gives)
    ? [form.slices_per_card ?? 1, form.slice_mib ?? 0]
    : [1, 0];
  return {
    name: form.name,
    title_en: form.title_en.trim(),
    title_zh: form.title_zh.trim(),
    purpose,
    mode: modeOf(gives),
    slices_per_card,
    slice_mib,
    cpu_overcommit_pct,
    default_time_limit_s,
    time_limit_s_max,
    ...isolationOf(form),
  };
}

/** What can be changed later: all but the name, and the isolation, which is a rule of its policy. */
export function poolChange(input: PoolInput): PoolChange {
  const { name: _stays, isolation: _rule, ...change } = input;
  return change;
}

/** Whole GPUs need no isolation; MIG is one itself. */
function isolationOf({ gives, isolation }: PoolForm): Pick<PoolInput, "isolation"> {
  if (gives === "gpus") return {};
  const wall = gives === "profile" ? "mig" : isolation;
  return wall ? { isolation: wall } : {};
}

function modeOf(gives: DeviceKind): Pool["mode"] {
  if (gives === "gpus") return "exclusive";
  return gives === "profile" ? "mig" : "shared";
}
