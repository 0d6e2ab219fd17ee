import { useSearch } from "@tanstack/react-router";

/** The id of the group in the address, or null for all of mine. */
export function useChosenGroup(): string | null {
  const search: { group?: string } = useSearch({ strict: false });
  return search.group ?? null;
}
