/** A service as pages show it: its address, its look, what addresses of its pages say. Pure. */
import type { Service, ServiceReplica } from "@/shared/api/types";

type Status = Service["status"];

/** A shell's variable, where the portal does not say at which origin services answer. */
const ORIGIN = "$BERTH_INFERENCE_URL";

export function addressOf({ path }: Pick<Service, "path">, origin = ORIGIN): string {
  return `${origin}${path}`;
}

interface CurlTerms {
  address: string;
  speaksOpenai: boolean;
  model: string;
}

/** A first request to it, for a terminal; the key stands in a variable. */
export function curlOfService({ address, speaksOpenai, model }: CurlTerms): string {
  const key = '-H "Authorization: Bearer $BERTH_SERVICE_KEY"';
  if (!speaksOpenai) return `curl "${address}/" ${key}`;
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] });
  const quoted = body.replaceAll("'", "'\\''");
  return [
    `curl "${address}/v1/chat/completions" ${key}`,
    `-H "Content-Type: application/json" -d '${quoted}'`,
  ].join(" \\\n  ");
}

/** Which state of work it looks like. */
export const LOOK_OF = {
  stopped: "suspended",
  stopping: "stopping",
  at_zero: "suspended",
  starting: "starting",
  ready: "running",
  updating: "starting",
  degraded: "stopping",
  failed: "failed",
} as const satisfies Record<Status, string>;

/** Whether it can be started: it was stopped, or its revision was given up. */
export function isStartable({ state, status }: Pick<Service, "state" | "status">): boolean {
  return state === "stopped" || status === "failed";
}

/** `3` for a fixed number, else `1…4`. */
export function replicaRange({ min, max }: Pick<Service["replicas"], "min" | "max">): string {
  return min === max ? String(min) : `${min}…${max}`;
}

/** Which part of the requests, in percent, goes to which revision. */
export function weightsOf({
  revision,
  canary,
}: Pick<Service, "revision" | "canary">): ReadonlyMap<number, number> {
  if (!canary) return new Map([[revision, 100]]);
  return new Map([
    [revision, 100 - canary.percent],
    [canary.revision, canary.percent],
  ]);
}

const STAGES = ["ready", "starting", "waiting", "ending"] as const;

/** Those first that answer, then those that are about to; of equals the newest, as they came. */
export function liveFirst<Row extends Pick<ServiceReplica, "stage" | "draining_since">>(
  replicas: readonly Row[],
): Row[] {
  const rank = ({ stage, draining_since }: Row) =>
    2 * STAGES.indexOf(stage ?? "ending") + Number(draining_since !== null);
  return replicas.toSorted((one, other) => rank(one) - rank(other));
}

/** How many requests are open at all of its replicas. */
export function openRequests(replicas: readonly Pick<ServiceReplica, "open_requests">[]): number {
  return replicas.reduce((sum, { open_requests }) => sum + open_requests, 0);
}

/** The numbers of a decision as words: times by `ofMillis`, rates and counts by `ofNumber`. */
export function stepParams(
  params: Readonly<Record<string, number>>,
  ofMillis: (millis: number) => string,
  ofNumber: (amount: number) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      if (name.endsWith("_ms")) return [name, ofMillis(value)];
      return [name, ofNumber(name.endsWith("_milli") ? value / 1000 : value)];
    }),
  );
}

export const SERVICE_STATES = ["running", "stopped"] as const;

/** What the address of the list says. */
export interface ServiceSearch {
  state?: (typeof SERVICE_STATES)[number] | undefined;
  mine?: boolean | undefined;
  q?: string | undefined;
}

export function readServiceSearch({ state, mine, q }: Record<string, unknown>): ServiceSearch {
  const known = SERVICE_STATES.find((name) => name === state);
  return {
    ...(known && { state: known }),
    ...(mine === true && { mine }),
    ...(typeof q === "string" && q && { q }),
  };
}
