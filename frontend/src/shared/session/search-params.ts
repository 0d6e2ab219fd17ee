/** What the addresses of several pages remember. */
import { useSearch } from "@tanstack/react-router";

/** The id of the group in the address, or null for all of mine. */
export function useChosenGroup(): string | null {
  const search: { group?: string } = useSearch({ strict: false });
  return search.group ?? null;
}

const NAME_MAX = 63;

export function readPoolSearch(search: Record<string, unknown>): { pool?: string } {
  const { pool } = search;
  return typeof pool === "string" && pool ? { pool: pool.slice(0, NAME_MAX) } : {};
}
