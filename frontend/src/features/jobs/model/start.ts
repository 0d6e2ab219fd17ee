/** When a job starts: indexes, begin time and dependencies as people type them. Pure. */
import type { JobArrayInput, JobInput, Workload, WorkloadState } from "@/shared/api/types";
import { momentAt } from "@/shared/i18n/clock";

/** The words are the server's. */
export const DEPENDENCY_TYPES = ["after_ok", "after_any", "after"] as const;
export type DependencyType = (typeof DEPENDENCY_TYPES)[number];

interface DependencyRow {
  type?: DependencyType;
  id?: string;
}

export interface StartValues {
  /** Indexes as Slurm writes them; empty is a single job. */
  array?: string;
  /** Local time as the browser's field writes it; empty is at once. */
  not_before?: string;
  held?: boolean;
  dependencies?: readonly (DependencyRow | undefined)[];
}

const RANGE = String.raw`\d{1,7}(?:-\d{1,7}(?::\d{1,7})?)?`;
const INDEXES = new RegExp(`^${RANGE}(?:,${RANGE})*(?:%\\d{1,5})?$`);

/** Whether a text names indexes of an array; an empty one names none, and that is allowed. */
export function isArrayText(text: string | undefined): boolean {
  const plain = (text ?? "").replaceAll(" ", "");
  return plain === "" || INDEXES.test(plain);
}

/** What the server takes of it; nothing that is left as it is. */
export function startOf(
  form: StartValues,
): Pick<JobInput, "not_before" | "held" | "dependencies"> & Partial<Pick<JobArrayInput, "array">> {
  const { array = "", not_before, held = false } = form;
  const dependencies = (form.dependencies ?? []).flatMap((row) =>
    row?.id ? [{ type: row.type ?? "after_ok", id: row.id }] : [],
  );
  return {
    ...(array.trim() && { array: array.trim() }),
    ...(not_before && { not_before: momentAt(not_before).toISOString() }),
    ...(held && { held }),
    ...(dependencies.length > 0 && { dependencies }),
  };
}

export function isHeld({ held_by }: Pick<Workload, "held_by">): boolean {
  return Boolean(held_by);
}

/** Whether it has been given its place: only then can it be requeued. */
export function isPlaced(state: WorkloadState): boolean {
  return ["placing", "starting", "running"].includes(state);
}

const ENDED = ["succeeded", "failed", "cancelled", "expired"];

/** Whether every task of an array has ended. */
export function hasEnded(states: Readonly<Record<string, number>>): boolean {
  return Object.entries(states).every(([state, count]) => count === 0 || ENDED.includes(state));
}
