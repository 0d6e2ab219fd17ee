/** Which of somebody's work the first page shows. Pure. */
import type { Workload } from "@/shared/api/types";

const SHOWN_MAX = 8;

/** Running work first, then what is on its way; both come newest first. */
export function glanceOf(running: readonly Workload[], active: readonly Workload[]) {
  const ids = new Set(running.map(({ id }) => id));
  const all = [...running, ...active.filter(({ id }) => !ids.has(id))];
  return { shown: all.slice(0, SHOWN_MAX), hasMore: all.length > SHOWN_MAX };
}
