/** Groups in the order and depth of their tree. Pure. */
import type { Group } from "@/shared/api/types";

export interface GroupInTree {
  group: Group;
  /** 0 for the organisation. */
  depth: number;
}

/** Depth first, children by title; groups whose parent the reader may not see are roots. */
export function groupTree(groups: readonly Group[]): GroupInTree[] {
  const known = new Set(groups.map(({ id }) => id));
  const below = (parent: string | null, depth: number): GroupInTree[] =>
    groups
      .filter((group) => parentOf(group, known) === parent)
      .toSorted((one, other) => one.title.localeCompare(other.title))
      .flatMap((group) => [{ group, depth }, ...below(group.id, depth + 1)]);
  return below(null, 0);
}

function parentOf({ parent }: Group, known: ReadonlySet<string>): string | null {
  return parent && known.has(parent) ? parent : null;
}
