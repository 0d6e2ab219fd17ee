/** From what the form holds to what the server takes. Pure. */
import type { DryRunInput, EnvironmentInput } from "@/shared/api/types";
import { type CommonForm, commonDraft, commonInput } from "@/shared/submission/model/draft";
import { portsOf } from "./ports";

export interface EnvironmentForm extends CommonForm {
  slices: number;
  ports?: readonly string[];
}

export function environmentInput({ ports = [], ...form }: EnvironmentForm): EnvironmentInput {
  return {
    ...commonInput(form),
    slices: form.slices,
    ...(ports.length > 0 && { ports: portsOf(ports) }),
  };
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function environmentDraft(form: Partial<EnvironmentForm>): DryRunInput | null {
  const common = commonDraft(form);
  if (!common || !form.slices) return null;
  return { kind: "environment", ...common, slices: form.slices };
}
