/** What a notebook's form asks the server for, and what there is to say about one that nobody uses. Pure. */
import type { DryRunInput, EnvironmentInput, WorkloadDetail } from "@/shared/api/types";
import { type CommonForm, commonDraft, commonInput } from "@/shared/submission/model/submission";

export function environmentInput(form: CommonForm): EnvironmentInput {
  return commonInput(form);
}

/** What to ask the scheduler about a half-filled form; null while a number is missing. */
export function environmentDraft(form: Partial<CommonForm>): DryRunInput | null {
  const common = commonDraft(form);
  return common && { kind: "environment", ...common };
}

export type Idle = NonNullable<WorkloadDetail["idle"]>;

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
