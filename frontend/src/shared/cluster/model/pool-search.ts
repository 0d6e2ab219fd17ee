/** Which pool a page's address names. Pure. */

const NAME_MAX = 63;

export function readPoolSearch(search: Record<string, unknown>): { pool?: string } {
  const { pool } = search;
  return typeof pool === "string" && pool ? { pool: pool.slice(0, NAME_MAX) } : {};
}
