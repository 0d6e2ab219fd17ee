/** What a notebook's form submits, and the notices about an idle notebook. Pure. */
import type { DryRunInput, EnvironmentInput, WorkloadDetail } from "@/shared/api/types";
import {
  type SubmissionValues,
  submissionDraft,
  submissionInput,
} from "@/shared/submission/model/submission";

export function environmentInput(form: SubmissionValues): EnvironmentInput {
  return submissionInput(form);
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function environmentDraft(form: Partial<SubmissionValues>): DryRunInput | null {
  const common = submissionDraft(form);
  return common && { kind: "environment", ...common };
}

/** Where a reader came from who found the notebook stopped: its own pages, or one of its ports. */
export type StartFrom = "lab" | number;

const PORT_MAX = 65_535;

export function readStartSearch({ start }: Record<string, unknown>): { start?: StartFrom } {
  if (start === "lab") return { start };
  const port = Number(start);
  return Number.isInteger(port) && port > 0 && port <= PORT_MAX ? { start: port } : {};
}

export type Idle = NonNullable<WorkloadDetail["idle"]>;

export type IdleNews = "warned" | Exclude<Idle["gpu_state"], "held">;

/** The one notice to show; null while the notebook is used and has its GPUs. */
export function idleNews({ gpu_state, is_warned }: Idle): IdleNews | null {
  // A notebook without its GPUs may be about to be stopped: that comes first.
  if (is_warned && (gpu_state === "held" || gpu_state === "released")) return "warned";
  return gpu_state === "held" ? null : gpu_state;
}
