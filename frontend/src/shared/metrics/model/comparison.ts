/** Which jobs are compared, as an address names them, and which task of an array is the best. Pure. */
import type { JobMetric, TaskResult } from "@/shared/api/types";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** With the job itself, as many as one answer of the API compares. */
export const COMPARED_MAX = 9;

/** The ids of an address, once each, without what is no id. */
export function splitIds(text = ""): string[] {
  return [...new Set(text.split(","))].filter((id) => ID.test(id)).slice(0, COMPARED_MAX);
}

/** What a job is called beside others; a task of an array with its index. */
export function comparedTitle(job: { name: string; array_index: number | null }): string {
  return job.array_index === null ? job.name : `${job.name} [${job.array_index}]`;
}

export function joinIds(ids: readonly string[]): string {
  return ids.join(",");
}

/** Whether the best or the last value of a task counts, and which of two values is the better one. */
export interface Ranking {
  isBest: boolean;
  isLower: boolean;
}

export interface Best {
  ranking: Ranking;
  /** The task with the best value; null if none has one. */
  task: string | null;
}

/** The value by which a task is compared: null while it has none that is a number. */
export function valueBy(metric: JobMetric, { isBest, isLower }: Ranking): number | null {
  if (!isBest) return metric.last_value;
  return isLower ? metric.low_value : metric.high_value;
}

export function bestOf(results: readonly TaskResult[], name: string, ranking: Ranking): Best {
  let [task, most]: [string | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const result of results) {
    const metric = result.metrics.find((each) => each.name === name);
    const value = metric ? valueBy(metric, ranking) : null;
    if (value === null) continue;
    const rank = ranking.isLower ? value : -value;
    if (rank < most) [task, most] = [result.task.id, rank];
  }
  return { ranking, task };
}
