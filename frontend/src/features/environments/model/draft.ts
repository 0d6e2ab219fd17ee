/** From what the form holds to what the server takes. Pure. */
import type { DryRunInput, EnvironmentInput } from "@/shared/api/types";
import { type CommonForm, commonDraft, commonInput } from "@/shared/submission/model/draft";

/** One kind of part is filled in: the one that the chosen pool gives. */
export interface EnvironmentForm extends CommonForm {
  slices?: number;
  /** Of one card's processors and memory. */
  share_pct?: number;
  share_gib?: number;
  mig_profile?: string;
}

export function environmentInput(form: EnvironmentForm): EnvironmentInput {
  return { ...commonInput(form), ...partOf(form) };
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function environmentDraft(form: Partial<EnvironmentForm>): DryRunInput | null {
  const common = commonDraft(form);
  const part = partOf(form);
  if (!common || !part) return null;
  return { kind: "environment", ...common, ...part };
}

function partOf({ slices, share_pct, share_gib, mig_profile }: Partial<EnvironmentForm>) {
  if (mig_profile) return { mig_profile };
  if (share_pct && share_gib) {
    return { share_milli: Math.round(share_pct * 10), share_mib: Math.round(share_gib * 1024) };
  }
  return slices ? { slices } : null;
}
