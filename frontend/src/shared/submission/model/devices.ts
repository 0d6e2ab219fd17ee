/** How much of a GPU is requested: whole GPUs, slices, a share of any size, or a MIG profile. Pure. */
import type { GpuModel, Pool } from "@/shared/api/types";

const MIB_PER_GIB = 1024;
/** People type memory in steps of this many GiB; the bounds of a field keep to them. */
const STEP_GIB = 0.5;

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
  gpus?: number;
  slices?: number;
  /** Guaranteed part of one GPU's compute and memory. */
  gpu_pct?: number;
  gpu_memory_gib?: number;
  /** What the share's memory may grow to; empty is as far as the pool lets it. */
  gpu_memory_ceiling_gib?: number | null;
  mig_profile?: string;
}

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

/** The server's words for which GPUs will do; only what was chosen. */
export function choiceOf(form: GpuChoiceForm) {
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
  gpus: number;
  slices: number;
  gpu_milli: number;
  gpu_memory_mib: number;
  mig_profile: string;
}

/** What the server advises, as a form holds it. */
export function deviceForm(asked: DeviceRequest & { gpu_models: readonly string[] }): DeviceForm {
  const { gpus, slices, gpu_milli, gpu_memory_mib, mig_profile, gpu_models } = asked;
  if (mig_profile) return { mig_profile };
  if (gpu_milli) return { gpu_pct: gpu_milli / 10, gpu_memory_gib: gibOf(gpu_memory_mib) };
  return slices ? { slices } : { gpus, gpu_models };
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
