/** The cursor in a page's `next` address; undefined on the last page. */
export function nextCursor(page: { next?: string | null }): string | undefined {
  if (!page.next) return undefined;
  return new URL(page.next, globalThis.location.origin).searchParams.get("cursor") ?? undefined;
}
