/** Stands where the network begins: answers by `METHOD /path`, and remembers what was asked. */
import { vi } from "vitest";

export interface Asked {
  route: string;
  /** With its query. */
  url: string;
  body: unknown;
  headers: Headers;
}

type Answer = unknown | ((asked: Asked) => Response | unknown);

export function serve(routes: Record<string, Answer>): Asked[] {
  const log: Asked[] = [];
  vi.stubGlobal("fetch", async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(new URL(urlOf(input), location.origin), requestInit(input, init));
    const text = await request.text();
    const asked = {
      route: `${request.method} ${new URL(request.url).pathname}`,
      url: request.url,
      body: text ? JSON.parse(text) : null,
      headers: request.headers,
    };
    log.push(asked);
    const answer = routes[asked.route];
    const made = typeof answer === "function" ? await answer(asked) : answer;
    if (made instanceof Response) return made;
    return made === undefined ? problem(404, "not_found") : Response.json(made);
  });
  return log;
}

export function problem(status: number, code: string, fields: object = {}): Response {
  const body = { status, code, params: {}, errors: [], title: "", detail: "", ...fields };
  return Response.json(body, { status });
}

function urlOf(input: RequestInfo | URL): string {
  return input instanceof Request ? input.url : String(input);
}

function requestInit(input: RequestInfo | URL, init?: RequestInit): RequestInit {
  if (!(input instanceof Request)) return init ?? {};
  const { method, headers, body } = input;
  return body ? ({ method, headers, body, duplex: "half" } as RequestInit) : { method, headers };
}
