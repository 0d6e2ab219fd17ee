/** How much of a card is requested: whole cards, slices, a share of any size, or a MIG profile. Pure. */
import type { Pool } from "@/shared/api/types";

const MIB_PER_GIB = 1024;
/** People type memory in steps of this many GiB; the bounds of a field keep to them. */
const STEP_GIB = 0.5;

/** Only the fields of the chosen pool's unit are filled in. */
export interface DeviceForm {
  cards?: number;
  slices?: number;
  /** Guaranteed part of one card's processors and memory. */
  share_pct?: number;
  share_gib?: number;
  /** What the share's memory may grow to; empty is as far as the pool lets it. */
  share_ceiling_gib?: number | null;
  mig_profile?: string;
}

export type DeviceKind = "cards" | "slices" | "share" | "profile";

/** The unit in which a pool gives out its cards. */
export function deviceKindOf({ mode, slices_per_card }: Pool): DeviceKind {
  if (mode === "mig") return "profile";
  if (mode === "exclusive") return "cards";
  return slices_per_card > 1 ? "slices" : "share";
}

/** The server's words for what is filled in; null while nothing is. */
export function devicesOf(form: DeviceForm) {
  const { cards, slices, share_pct, share_gib, share_ceiling_gib, mig_profile } = form;
  if (mig_profile) return { mig_profile };
  if (share_pct && share_gib) {
    return {
      share_milli: Math.round(share_pct * 10),
      share_mib: mibOf(share_gib),
      ...(share_ceiling_gib && { share_ceiling_mib: mibOf(share_ceiling_gib) }),
    };
  }
  if (slices) return { slices };
  return cards ? { cards } : null;
}

interface Asked {
  cards: number;
  slices: number;
  share_milli: number;
  share_mib: number;
  share_ceiling_mib: number | null;
  mig_profile: string;
}

/** The same for work that was submitted before; the slices of a MIG profile are left out. */
export function requestedDevices(work: Asked) {
  const { cards, slices, share_milli, share_mib, share_ceiling_mib, mig_profile } = work;
  if (mig_profile) return { mig_profile };
  if (share_milli) {
    return { share_milli, share_mib, ...(share_ceiling_mib && { share_ceiling_mib }) };
  }
  return slices ? { slices } : { cards };
}

/** What the server advises, as a form holds it. */
export function deviceForm(asked: Omit<Asked, "share_ceiling_mib">): DeviceForm {
  const { cards, slices, share_milli, share_mib, mig_profile } = asked;
  if (mig_profile) return { mig_profile };
  if (share_milli) return { share_pct: share_milli / 10, share_gib: gibOf(share_mib) };
  return slices ? { slices } : { cards };
}

/** From the guarantee to what the pool, and the card, let it grow to; in GiB. */
export function ceilingBounds(
  guarantee_gib: number,
  { limits }: Pool,
): { min: number; max: number } {
  const most = Math.min((guarantee_gib * limits.burst_pct) / 100, gibOf(limits.share_mib_max));
  return { min: guarantee_gib, max: Math.max(guarantee_gib, floorToStep(most)) };
}

/** A quarter of the largest share: what a form begins with. */
export function defaultShareGib({ limits }: Pool): number {
  return Math.max(STEP_GIB, floorToStep(gibOf(limits.share_mib_max) / 4));
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
