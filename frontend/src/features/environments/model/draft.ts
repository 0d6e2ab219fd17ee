/** From what the form holds to what the server takes. Pure. */
import type { DryRunInput, EnvironmentInput } from "@/shared/api/types";
import { type CommonForm, commonDraft, commonInput } from "@/shared/submission/model/draft";

export interface EnvironmentForm extends CommonForm {
  slices: number;
}

export function environmentInput(form: EnvironmentForm): EnvironmentInput {
  return { ...commonInput(form), slices: form.slices };
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function environmentDraft(form: Partial<EnvironmentForm>): DryRunInput | null {
  const common = commonDraft(form);
  if (!common || !form.slices) return null;
  return { kind: "environment", ...common, slices: form.slices };
}
