/** The one way to the server: typed requests with CSRF token, language and refusals as errors. */
import type { Middleware } from "openapi-fetch";
import createClient from "openapi-fetch";
import { ProblemError, readProblem } from "./problem";
import type { paths } from "./schema.gen";

const PATIENCE_MS = 30_000;

/** Adds the headers that every request needs; writes carry the CSRF token. */
const preamble: Middleware = {
  onRequest({ request }) {
    request.headers.set("Accept-Language", document.documentElement.lang);
    const token = csrfToken();
    if (request.method !== "GET" && token) request.headers.set("X-CSRFToken", token);
    return request;
  },
};

export const api = createClient<paths>({
  baseUrl: globalThis.location.origin,
  credentials: "same-origin",
  fetch: (request) => globalThis.fetch(request, patience(request)),
});
api.use(preamble);

/** Reads time out and are retried; writes wait for their answer. */
function patience({ method }: Request): RequestInit | undefined {
  return method === "GET" ? { signal: AbortSignal.timeout(PATIENCE_MS) } : undefined;
}

/** Return the data of an answer, or throw its problem. */
export async function unwrap<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) {
    const requestId = response.headers.get("X-Request-Id") ?? "";
    throw new ProblemError(readProblem(response.status, error, requestId));
  }
  return data as T;
}

/** The CSRF token of this session, from its cookie. */
export function csrfToken(): string {
  const pair = document.cookie.split("; ").find((part) => /^(__Host-)?berth-csrf=/.test(part));
  return pair ? decodeURIComponent(pair.slice(pair.indexOf("=") + 1)) : "";
}

/** The cursor in a page's `next` address; undefined on the last page. */
export function nextCursor(page: { next?: string | null }): string | undefined {
  if (!page.next) return undefined;
  return new URL(page.next, globalThis.location.origin).searchParams.get("cursor") ?? undefined;
}
