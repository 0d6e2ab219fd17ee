/** How much of a GPU is requested: whole GPUs, slices, a share of any size, or a MIG profile. Pure. */
import type { GpuModel, Pool } from "@/shared/api/types";

const MIB_PER_GIB = 1024;
/** The fewest cores that the server takes. */
export const CPU_MIN = 0.1;
/** The least memory that the server takes. */
export const MEMORY_GIB_MIN = 64 / MIB_PER_GIB;
/** People type memory in steps of this many GiB; the bounds of a field keep to them. */
const STEP_GIB = 0.5;

/** The fields of the API that say how much of a GPU. */
export const DEVICE_SETTINGS = [
  "gpus",
  "slices",
  "gpu_milli",
  "gpu_memory_mib",
  "gpu_memory_ceiling_mib",
  "mig_profile",
] as const;

/** Those that say which GPUs will do. */
export const CHOICE_SETTINGS = [
  "gpu_models",
  "gpu_memory_min_mib",
  "gpu_features",
  "gpu_bandwidth_min_gbps",
] as const;

type GpuFeature = GpuModel["features"][number];

/** Which GPUs will do; what is empty leaves the choice open. */
export interface GpuChoiceForm {
  gpu_models?: readonly string[];
  gpu_memory_min_gib?: number | null;
  gpu_features?: readonly GpuFeature[];
  gpu_bandwidth_min_gbps?: number | null;
}

/** Only the fields of the chosen pool's unit are filled in. */
export interface DeviceForm extends GpuChoiceForm {
  /** Without any GPU, whatever the pool's unit is. */
  is_cpu_only?: boolean;
  gpus?: number;
  slices?: number;
  /** Guaranteed part of one GPU's compute and memory. */
  gpu_pct?: number;
  gpu_memory_gib?: number;
  /** What the share's memory may grow to; empty is as far as the pool lets it. */
  gpu_memory_ceiling_gib?: number | null;
  mig_profile?: string;
}

/** Of every unit of a pool none: the server takes it in each of them. */
const NO_GPU = { gpus: 0 };

export type DeviceKind = "gpus" | "slices" | "share" | "profile";

/** The unit in which a pool gives out its GPUs. */
export function deviceKindOf({ mode, slices_per_card }: Pool): DeviceKind {
  if (mode === "mig") return "profile";
  if (mode === "exclusive") return "gpus";
  return slices_per_card > 1 ? "slices" : "share";
}

/** The server's words for what is filled in; null while nothing is. */
export function devicesOf(form: DeviceForm) {
  const { gpus, slices, gpu_pct, gpu_memory_gib, gpu_memory_ceiling_gib, mig_profile } = form;
  if (form.is_cpu_only) return NO_GPU;
  if (mig_profile) return { mig_profile };
  if (gpu_pct && gpu_memory_gib) {
    return {
      gpu_milli: Math.round(gpu_pct * 10),
      gpu_memory_mib: mibOf(gpu_memory_gib),
      ...(gpu_memory_ceiling_gib && { gpu_memory_ceiling_mib: mibOf(gpu_memory_ceiling_gib) }),
    };
  }
  if (slices) return { slices };
  return gpus ? { gpus } : null;
}

/** The server's words for which GPUs will do; only what was chosen, and nothing without a GPU. */
export function choiceOf(form: DeviceForm) {
  if (form.is_cpu_only) return {};
  const { gpu_models = [], gpu_memory_min_gib, gpu_features = [], gpu_bandwidth_min_gbps } = form;
  return {
    ...(gpu_models.length > 0 && { gpu_models: [...gpu_models] }),
    ...(gpu_memory_min_gib && { gpu_memory_min_mib: mibOf(gpu_memory_min_gib) }),
    ...(gpu_features.length > 0 && { gpu_features: [...gpu_features] }),
    ...(gpu_bandwidth_min_gbps && { gpu_bandwidth_min_gbps }),
  };
}

interface ChoiceRequest {
  gpu_models?: readonly string[];
  gpu_memory_min_mib?: number;
  gpu_features?: readonly GpuFeature[];
  gpu_bandwidth_min_gbps?: number;
}

/** The choice of an earlier submission, as a form holds it. */
export function choiceForm(body: ChoiceRequest): GpuChoiceForm {
  const { gpu_models, gpu_memory_min_mib, gpu_features, gpu_bandwidth_min_gbps } = body;
  return {
    ...(gpu_models?.length && { gpu_models }),
    ...(gpu_memory_min_mib && { gpu_memory_min_gib: gibOf(gpu_memory_min_mib) }),
    ...(gpu_features?.length && { gpu_features }),
    ...(gpu_bandwidth_min_gbps && { gpu_bandwidth_min_gbps }),
  };
}

interface DeviceRequest {
  gpus?: number;
  slices?: number;
  gpu_milli?: number;
  gpu_memory_mib?: number;
  gpu_memory_ceiling_mib?: number | null;
  mig_profile?: string;
}

/** The part of a GPU, or the GPUs, of a request as a form holds them; nothing where it names none. */
export function deviceForm(asked: DeviceRequest): DeviceForm {
  const { gpus, slices, gpu_milli, gpu_memory_mib = 0, mig_profile } = asked;
  const { gpu_memory_ceiling_mib: ceiling } = asked;
  const form = { is_cpu_only: false };
  if (mig_profile) return { ...form, mig_profile };
  if (gpu_milli) {
    return {
      ...form,
      gpu_pct: gpu_milli / 10,
      gpu_memory_gib: gibOf(gpu_memory_mib),
      ...(ceiling && { gpu_memory_ceiling_gib: gibOf(ceiling) }),
    };
  }
  if (slices) return { ...form, slices };
  if (gpus) return { ...form, gpus };
  return [gpus, slices, gpu_milli, mig_profile].every((amount) => amount == null)
    ? {}
    : { is_cpu_only: true };
}

/** From the guarantee to what the pool, and the card, let it grow to; in GiB. */
export function ceilingBounds(
  guarantee_gib: number,
  { limits }: Pool,
): { min: number; max: number } {
  const most = Math.min((guarantee_gib * limits.burst_pct) / 100, gibOf(limits.gpu_memory_mib_max));
  return { min: guarantee_gib, max: Math.max(guarantee_gib, floorToStep(most)) };
}

/** A quarter of the largest share: what a form begins with. */
export function defaultMemoryGib({ limits }: Pool): number {
  return Math.max(STEP_GIB, floorToStep(gibOf(limits.gpu_memory_mib_max) / 4));
}

export function gibOf(mib: number): number {
  return mib / MIB_PER_GIB;
}

function mibOf(gib: number): number {
  return Math.round(gib * MIB_PER_GIB);
}

function floorToStep(gib: number): number {
  return Math.floor(gib / STEP_GIB) * STEP_GIB;
}
