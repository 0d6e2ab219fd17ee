/** What a request asks for, as parts that a page puts into words. Pure. */
import type { Approval } from "@/shared/api/types";

export const SIDES = ["to_decide", "mine", "all"] as const;
export type Side = (typeof SIDES)[number];
export const STATES = ["pending", "approved", "declined", "withdrawn", "expired"] as const;
export const KINDS = ["time_limit", "member_limit", "quota", "reservation"] as const;

/** What the address remembers of the list. */
export function readRequestSearch(search: Record<string, unknown>) {
  return {
    side: SIDES.find((each) => each === search.side),
    kind: KINDS.find((each) => each === search.kind),
    state: STATES.find((each) => each === search.state),
  };
}

/** One value that is asked for, with the one that it replaces; null is no limit. */
export interface AskedValue {
  name: string;
  /** Set where the value is a part of a quota. */
  quota: string | null;
  before: number | null;
  asked: number | null;
}

/** The values of a request, ceilings one by one. */
export function askedValues({ asked, before }: Pick<Approval, "asked" | "before">): AskedValue[] {
  return Object.entries(asked).flatMap(([name, value]): AskedValue[] =>
    name === "ceilings"
      ? Object.entries(recordOf(value)).map(([quota, ceiling]) => ({
          name: "ceiling",
          quota,
          before: numberOf(recordOf(before.ceilings)[quota]),
          asked: numberOf(ceiling),
        }))
      : [{ name, quota: null, before: numberOf(before[name]), asked: numberOf(value) }],
  );
}

/** The reservation that a request asks for, as its body was sent. */
export function askedReservation({ asked }: Pick<Approval, "asked">) {
  const text = (name: string) => (typeof asked[name] === "string" ? asked[name] : "");
  return {
    name: text("name"),
    pool: text("pool"),
    gpus: numberOf(asked.gpus) ?? 0,
    slices: numberOf(asked.slices) ?? 0,
    starts_at: text("starts_at"),
    ends_at: text("ends_at"),
    weekly_until: text("weekly_until"),
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
