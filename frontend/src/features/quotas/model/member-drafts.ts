/** Ceilings of single members that are being edited beside the quotas they are parts of. Pure. */
import type {
  MemberLimit,
  Quota,
  QuotaMemberEdit,
  QuotaMemberEditInput,
  UserRef,
} from "@/shared/api/types";
import { type EditorRow, keyOf, type QuotaSubject } from "./drafts";
import { parseAmount, unitOf } from "./quotas";

export interface MemberDraft {
  subject: QuotaSubject;
  user: UserRef;
  /** What the draft was made from; null is no ceiling of the member's own. */
  before: number | null;
  text: string;
}

/** By the key of the row. */
export type MemberDrafts = Readonly<Record<string, MemberDraft>>;
export const NO_MEMBER_DRAFTS: MemberDrafts = {};

export interface CeilingRow {
  key: string;
  subject: QuotaSubject;
  user: UserRef;
  /** What the server has; null is no ceiling. */
  saved: number | null;
}

export function memberKey(subject: QuotaSubject, userId: string): string {
  return `${keyOf(subject)}|${userId}`;
}

/** The members with a ceiling, saved or typed, by the key of the quota that it is a part of. */
export function ceilingRows(
  quotas: readonly Quota[],
  limits: readonly MemberLimit[],
  drafts: MemberDrafts,
): ReadonlyMap<string, readonly CeilingRow[]> {
  const subjects = new Map(
    quotas.map(({ id, group, pool, resource, model }) => [
      id,
      { group: group.id, pool: pool?.id ?? null, resource, model },
    ]),
  );
  const saved = limits.flatMap(({ user, ceilings }) =>
    ceilings.flatMap(({ quota, ceiling }): CeilingRow[] => {
      const subject = subjects.get(quota);
      return subject ? [{ key: memberKey(subject, user.id), subject, user, saved: ceiling }] : [];
    }),
  );
  const known = new Set(saved.map(({ key }) => key));
  const drafted = Object.entries(drafts)
    .filter(([key]) => !known.has(key))
    .map(([key, { subject, user }]): CeilingRow => ({ key, subject, user, saved: null }));
  const rows = new Map<string, CeilingRow[]>();
  for (const row of [...saved, ...drafted]) {
    const key = keyOf(row.subject);
    rows.set(key, [...(rows.get(key) ?? []), row]);
  }
  return rows;
}

/** The text of the cell, as typed or as saved. */
export function ceilingText(row: CeilingRow, draft: MemberDraft | undefined): string {
  return draft?.text ?? textOfAmount(row.subject.resource, row.saved);
}

function textOfAmount(resource: string, amount: number | null): string {
  return amount === null ? "" : String(amount / unitOf(resource));
}

/** The drafts with this text; a cell that says what was saved is no draft. */
export function withCeiling(drafts: MemberDrafts, row: CeilingRow, text: string): MemberDrafts {
  const { key, subject, user } = row;
  const before = drafts[key]?.before ?? row.saved;
  if (text === textOfAmount(subject.resource, before)) {
    const { [key]: _, ...others } = drafts;
    return row.saved === null && before === null
      ? { ...others, [key]: { subject, user, before, text } }
      : others;
  }
  return { ...drafts, [key]: { subject, user, before, text } };
}

export function withoutCeiling(drafts: MemberDrafts, key: string): MemberDrafts {
  const { [key]: _, ...others } = drafts;
  return others;
}

/** The draft made from what is saved now, after someone else has changed it: mine is kept. */
export function rebasedCeiling(drafts: MemberDrafts, row: CeilingRow): MemberDrafts {
  const draft = drafts[row.key];
  if (!draft) return drafts;
  const { [row.key]: _, ...others } = drafts;
  return withCeiling(others, row, draft.text);
}

/** What a cell means: null is no ceiling of the member's own, undefined no amount. */
export function ceilingOf(
  { subject: { resource } }: Pick<CeilingRow, "subject">,
  text: string,
): number | null | undefined {
  return parseAmount(resource, "ceiling", text);
}

/** Whether a drafted cell is no amount. */
export function isFaulty(draft: MemberDraft): boolean {
  return ceilingOf(draft, draft.text) === undefined;
}

/** Whether someone else has changed the ceiling since the draft was begun. */
export function isCeilingOutdated(row: CeilingRow, draft: MemberDraft | undefined): boolean {
  return draft !== undefined && draft.before !== row.saved;
}

/** The change that the drafts stand for, with the key of the row of each edit; a line still empty is none. */
export function memberEditsOf(drafts: MemberDrafts): {
  keys: string[];
  members: QuotaMemberEditInput[];
} {
  const entries = Object.entries(drafts).filter(
    ([, draft]) => ceilingOf(draft, draft.text) !== draft.before,
  );
  return {
    keys: entries.map(([key]) => key),
    members: entries.map(([, { subject, user, before, text }]) => ({
      ...subject,
      resource: subject.resource as QuotaMemberEditInput["resource"],
      user: user.id,
      before,
      after: ceilingOf({ subject }, text) ?? null,
    })),
  };
}

/** Drafts for what a file would change. */
export function memberDraftsOf(edits: readonly QuotaMemberEdit[]): MemberDrafts {
  return Object.fromEntries(
    edits.map(({ before, after, user, ...subject }) => [
      memberKey(subject, user.id),
      { subject, user, before, text: textOfAmount(subject.resource, after) },
    ]),
  );
}

/** An empty row of a quota for one member more. */
export function newCeiling({ group, pool, resource, model }: EditorRow, user: UserRef): CeilingRow {
  const subject = { group, pool, resource, model };
  return { key: memberKey(subject, user.id), subject, user, saved: null };
}
