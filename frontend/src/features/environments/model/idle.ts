/** What there is to say about a notebook that nobody uses. Pure. */
import type { WorkloadDetail } from "@/shared/api/types";

type Idle = NonNullable<WorkloadDetail["idle"]>;

export type IdleNews = "warned" | "leaving" | "away" | "asked" | "returning";

/** The one thing to say; nothing while it is used and has its cards. */
export function idleNews({ cards, is_warned }: Idle): IdleNews | null {
  // What has lost its cards may be about to be stopped: that is the greater news.
  if (is_warned && (cards === "held" || cards === "away")) return "warned";
  return cards === "held" ? null : cards;
}

/** Whole minutes until then, rounded up; never less than none. */
export function minutesUntil(at: string, now: Date): number {
  return Math.max(0, Math.ceil((new Date(at).getTime() - now.getTime()) / 60_000));
}
