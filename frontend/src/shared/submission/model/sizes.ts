/** The sizes that a form offers as cards: what each pool gives out, from the least to the most. Pure. */
import type { Pool } from "@/shared/api/types";
import { type DeviceForm, type DeviceKind, defaultMemoryGib, deviceKindOf, gibOf } from "./devices";

/** What the form holds once a size is chosen. */
export interface SizeValues extends DeviceForm {
  replicas: number;
  cpu: number;
  memory_gib: number;
}

export interface Size {
  key: string;
  pool: Pool;
  values: SizeValues;
  /** GPUs or slices of the pool that are free now. */
  free: number;
  /** The most of them that one node, or of slices one GPU, has. */
  largest: number;
  /** By the free ones alone it would fit; quotas, and who is ahead, are the scheduler's to say. */
  hasRoom: boolean;
}

/** For a whole GPU, and for a part of one; a larger part gets more, up to as much as a whole one. */
const PER_GPU = { cpu: 4, memory_gib: 16 };
const PER_PART = { cpu: 2, memory_gib: 8 };
const NODES = 2;
const PROFILES_MAX = 3;
/** More cards than these are no help: then those of the chosen pool only. */
const CARDS_MAX = 8;

/** The sizes of these pools; with too many of them, those of the chosen pool. */
export function sizesOf(pools: readonly Pool[], chosen: Pool, hasRanks: boolean): Size[] {
  const all = pools.flatMap((pool) => sizesIn(pool, hasRanks));
  return all.length > CARDS_MAX ? all.filter(({ pool }) => pool.id === chosen.id) : all;
}

/** The sizes of one pool; the first is the one that a form begins with. */
export function sizesIn(pool: Pool, hasRanks: boolean): Size[] {
  return amountsIn(pool, hasRanks).map(({ replicas = 1, ...devices }) => {
    const asked = Math.max(devices.gpus ?? devices.slices ?? 1, 1);
    const { free, largest } = freeIn(pool);
    const fits = replicas === 1 ? largest >= asked : free >= asked * replicas;
    return {
      key: [pool.id, JSON.stringify(devices), replicas].join(" "),
      pool,
      values: { is_cpu_only: false, ...devices, replicas, ...hostOf(pool, devices) },
      free,
      largest,
      hasRoom: fits,
    };
  });
}

/** Cores and memory that a form begins with in a pool, also where that has no GPU. */
export function hostIn(pool: Pool): Pick<SizeValues, "cpu" | "memory_gib"> {
  const { cpu, memory_gib } = sizesIn(pool, false)[0]?.values ?? PER_PART;
  return { cpu, memory_gib };
}

type SizeAmount = DeviceForm & { replicas?: number };

function amountsIn(pool: Pool, hasRanks: boolean): SizeAmount[] {
  const { limits } = pool;
  const amounts: Record<DeviceKind, () => SizeAmount[]> = {
    gpus: () => {
      const most = limits.gpus_max;
      const onOne = stepsTo(most).map((gpus) => ({ gpus }));
      const isThere = pool.capacity.gpus_total >= most * NODES && most > 0;
      const canSpread = hasRanks && limits.replicas_max >= NODES && isThere;
      return [...onOne, ...(canSpread ? [{ gpus: most, replicas: NODES }] : [])];
    },
    slices: () => stepsTo(Math.max(1, limits.slices_max / 2)).map((slices) => ({ slices })),
    share: () =>
      [25, 50].map((gpu_pct) => ({
        gpu_pct,
        gpu_memory_gib: (defaultMemoryGib(pool) * gpu_pct) / 25,
      })),
    profile: () => limits.profiles.slice(0, PROFILES_MAX).map((mig_profile) => ({ mig_profile })),
  };
  return amounts[deviceKindOf(pool)]();
}

/** One, half of the most, and the most. */
function stepsTo(most: number): number[] {
  return [...new Set([1, Math.floor(most / 2), most])].filter((step) => step > 0 && step <= most);
}

function freeIn(pool: Pool): { free: number; largest: number } {
  const { gpus_free, slices_free, largest_free } = pool.capacity;
  if (deviceKindOf(pool) === "slices") return { free: slices_free, largest: largest_free };
  if (deviceKindOf(pool) === "gpus") return { free: gpus_free, largest: largest_free };
  // Of GPUs that are divided freely, only the untouched ones are counted.
  return { free: gpus_free, largest: gpus_free };
}

/** Cores and memory that go with this much of a GPU, within what one piece of work may have. */
function hostOf({ limits }: Pool, { gpus, slices, gpu_pct }: DeviceForm) {
  const parts = slices ?? (gpu_pct ?? 0) / 25;
  const wanted = (unit: keyof typeof PER_GPU) =>
    gpus ? gpus * PER_GPU[unit] : Math.min(Math.max(parts, 1) * PER_PART[unit], PER_GPU[unit]);
  return {
    cpu: Math.min(wanted("cpu"), limits.cpu_milli_max / 1000),
    memory_gib: Math.min(wanted("memory_gib"), gibOf(limits.memory_mib_max)),
  };
}

const COMPARED = [
  "is_cpu_only",
  "gpus",
  "slices",
  "gpu_pct",
  "gpu_memory_gib",
  "mig_profile",
] as const;

/** The size that a form holds now, whatever its cores and memory are; undefined where it is another. */
export function sizeLike(
  sizes: readonly Size[],
  form: Partial<SizeValues> & { pool?: string },
): Size | undefined {
  return sizes.find(
    ({ pool, values }) =>
      pool.name === form.pool &&
      values.replicas === (form.replicas ?? 1) &&
      COMPARED.every((field) => (values[field] || undefined) === (form[field] || undefined)),
  );
}
