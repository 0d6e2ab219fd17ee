/** Which of somebody's work the first page shows. Pure. */
import type { Workload } from "@/shared/api/types";

const SHOWN_MAX = 8;

/** Running work, newest first; then what is on its way, the next to start first. */
export function glanceOf(running: readonly Workload[], active: readonly Workload[]) {
  const ids = new Set(running.map(({ id }) => id));
  const coming = active
    .filter(({ id }) => !ids.has(id))
    .toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0));
  const all = [...running, ...coming];
  return { shown: all.slice(0, SHOWN_MAX), hasMore: all.length > SHOWN_MAX };
}
