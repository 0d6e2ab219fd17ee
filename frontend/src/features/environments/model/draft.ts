/** From what the form holds to what the server takes. Pure. */
import type { DryRunInput, EnvironmentInput } from "@/shared/api/types";
import { type CommonForm, commonDraft, commonInput } from "@/shared/submission/model/submission";

export function environmentInput(form: CommonForm): EnvironmentInput {
  return commonInput(form);
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function environmentDraft(form: Partial<CommonForm>): DryRunInput | null {
  const common = commonDraft(form);
  return common && { kind: "environment", ...common };
}
