/** Quotas that are being edited: what was typed, what it means, and what it adds up to. Pure. */

import type {
  Group,
  Quota,
  QuotaCapacity,
  QuotaEdit,
  QuotaEditInput,
  QuotaLimits,
} from "@/shared/api/types";
import { groupTree, RESOURCES } from "@/shared/cluster/model/quotas";
import { type Language, titleOf } from "@/shared/i18n/language";
import { LIMITS, type Limit, parseAmount, unitOf } from "./quotas";

/** A cell of the editor. */
export type QuotaField = Limit | "weight";
export const FIELDS: readonly QuotaField[] = [...LIMITS, "weight"];

/** What one quota is about. */
export interface QuotaSubject {
  group: string;
  pool: string | null;
  resource: string;
  model: string;
}

/** What was typed into the cells of one quota, or that it is to be removed. */
export interface Draft {
  subject: QuotaSubject;
  /** The limits from which the draft was made; null for a quota that does not exist yet. */
  before: QuotaLimits | null;
  texts: Partial<Record<QuotaField, string>>;
  isRemoved?: true;
}

export type Drafts = Readonly<Record<string, Draft>>;
export const NO_DRAFTS: Drafts = {};

export interface EditorRow extends QuotaSubject {
  key: string;
  title: string;
  name: string;
  depth: number;
  /** Ids of the groups above, top first. */
  above: readonly string[];
  /** Whether groups stand below, and this is the first row of its own. */
  isParent: boolean;
  isFirst: boolean;
  /** What the server has; null for a quota that does not exist, yet or any more. */
  saved: QuotaLimits | null;
  used: number;
  /** A group without quotas: a row without cells. */
  isEmpty: boolean;
}

const NEW: QuotaLimits = {
  guarantee: 0,
  deserved: 0,
  ceiling: null,
  user_ceiling: null,
  weight: "medium",
};

export function keyOf({ group, pool, resource, model }: QuotaSubject): string {
  return [group, pool ?? "", resource, model].join("|");
}

function subjectOf({ group, pool, resource, model }: Quota): QuotaSubject {
  return { group: group.id, pool: pool?.id ?? null, resource, model };
}

function limitsOf(quota: Quota): QuotaLimits {
  const { guarantee, deserved, ceiling, user_ceiling, weight } = quota;
  return { guarantee, deserved, ceiling, user_ceiling, weight };
}

// Rows

/** All quotas in the tree of their groups, with drafts of those that do not exist. */
export function editorRows(
  groups: readonly Group[],
  quotas: readonly Quota[],
  drafts: Drafts,
  language: Language,
): EditorRow[] {
  const known = new Map(groups.map((group) => [group.id, group]));
  const parents = new Set(groups.map(({ parent }) => parent));
  const saved = new Map(quotas.map((quota) => [keyOf(subjectOf(quota)), quota]));
  const drafted = Object.entries(drafts).filter(([key]) => !saved.has(key));
  return groupTree(groups, language).flatMap(({ group, depth }): EditorRow[] => {
    const place = {
      title: titleOf(group, language),
      name: group.name,
      depth,
      above: pathAbove(group, known),
    };
    const own = [
      ...quotas
        .filter((quota) => quota.group.id === group.id)
        .map((quota) => ({
          ...subjectOf(quota),
          saved: limitsOf(quota) as QuotaLimits | null,
          used: quota.used,
        })),
      ...drafted
        .filter(([, { subject }]) => subject.group === group.id)
        .map(([, { subject }]) => ({ ...subject, saved: null, used: 0 })),
    ].toSorted(byResourceAndPool);
    const isParent = parents.has(group.id);
    if (own.length === 0) {
      const none = { group: group.id, pool: null, resource: "", model: "", saved: null, used: 0 };
      return [{ ...place, ...none, key: group.id, isParent, isFirst: true, isEmpty: true }];
    }
    return own.map((row, index) => ({
      ...place,
      ...row,
      key: keyOf(row),
      isParent: isParent && index === 0,
      isFirst: index === 0,
      isEmpty: false,
    }));
  });
}

function pathAbove(group: Group, known: ReadonlyMap<string, Group>): string[] {
  const parent = group.parent ? known.get(group.parent) : undefined;
  return parent ? [...pathAbove(parent, known), parent.id] : [];
}

function byResourceAndPool(one: QuotaSubject, other: QuotaSubject): number {
  const order: readonly string[] = RESOURCES;
  return (
    (one.pool ?? "").localeCompare(other.pool ?? "") ||
    order.indexOf(one.resource) - order.indexOf(other.resource) ||
    one.model.localeCompare(other.model)
  );
}

// Cells

/** A limit as it stands in its cell, in GPUs, cores or GiB; nothing is unlimited. */
export function textOf(resource: string, field: QuotaField, limits: QuotaLimits): string {
  if (field === "weight") return limits.weight;
  const value = limits[field];
  return value === null ? "" : String(value / unitOf(resource));
}

/** The text of a cell, as typed or as saved. */
export function shownText(row: EditorRow, draft: Draft | undefined, field: QuotaField): string {
  return draft?.texts[field] ?? textOf(row.resource, field, draft?.before ?? row.saved ?? NEW);
}

/** The drafts with this text in one cell; a cell that says what was saved is no draft. */
export function withText(drafts: Drafts, row: EditorRow, field: QuotaField, text: string): Drafts {
  const { group, pool, resource, model } = row;
  const draft = drafts[row.key] ?? {
    subject: { group, pool, resource, model },
    before: row.saved,
    texts: {},
  };
  const { [field]: _, ...others } = draft.texts;
  const isSaved = text === textOf(resource, field, draft.before ?? NEW);
  const texts = isSaved ? others : { ...others, [field]: text };
  if (Object.keys(texts).length > 0 || draft.before === null) {
    return { ...drafts, [row.key]: { ...draft, texts } };
  }
  return without(drafts, row.key);
}

/** The drafts with an empty row for a quota that does not exist yet. */
export function withNew(drafts: Drafts, subject: QuotaSubject): Drafts {
  const key = keyOf(subject);
  return key in drafts ? drafts : { ...drafts, [key]: { subject, before: null, texts: {} } };
}

/** The drafts in which this quota goes; one that was only drafted is no longer. */
export function withRemoval(drafts: Drafts, row: EditorRow): Drafts {
  const { key, saved, group, pool, resource, model } = row;
  const before = drafts[key]?.before ?? saved;
  if (before === null) return without(drafts, key);
  const subject = { group, pool, resource, model };
  return { ...drafts, [key]: { subject, before, texts: {}, isRemoved: true } };
}

export function without(drafts: Drafts, key: string): Drafts {
  const { [key]: _, ...others } = drafts;
  return others;
}

/** The draft made from what is saved now, after someone else has changed it: mine is kept. */
export function rebased(drafts: Drafts, row: EditorRow): Drafts {
  const draft = drafts[row.key];
  if (!draft) return drafts;
  if (draft.isRemoved) return withRemoval(without(drafts, row.key), row);
  const fresh = { ...draft, before: row.saved };
  const kept = Object.entries(draft.texts).filter(
    ([field, text]) => text !== textOf(row.resource, field as QuotaField, row.saved ?? NEW),
  );
  if (kept.length === 0 && row.saved) return without(drafts, row.key);
  return { ...drafts, [row.key]: { ...fresh, texts: Object.fromEntries(kept) } };
}

/** Whether someone else has changed the quota since the draft was begun. */
export function isOutdated(row: EditorRow, draft: Draft | undefined): boolean {
  if (!draft) return false;
  const { before } = draft;
  if (before === null || row.saved === null) return before !== row.saved;
  return FIELDS.some((field) => before[field] !== row.saved?.[field]);
}

export type CellFault = { kind: "amount" } | { kind: "order"; least: number };

/** What is wrong in the cells of one row. */
export function faultsOf(
  row: EditorRow,
  draft: Draft | undefined,
): Partial<Record<QuotaField, CellFault>> {
  if (!draft || draft.isRemoved) return {};
  const found: Partial<Record<QuotaField, CellFault>> = {};
  const limits = draftedLimits(row, draft);
  for (const field of LIMITS) {
    if (parseAmount(row.resource, field, shownText(row, draft, field)) === undefined) {
      found[field] = { kind: "amount" };
    }
  }
  if (!found.deserved && limits.deserved < limits.guarantee) {
    found.deserved = { kind: "order", least: limits.guarantee };
  } else if (!found.ceiling && limits.ceiling !== null && limits.ceiling < limits.deserved) {
    found.ceiling = { kind: "order", least: limits.deserved };
  }
  return found;
}

/** The limits as typed; a cell that is no amount counts as it was saved. */
export function draftedLimits(row: EditorRow, draft: Draft | undefined): QuotaLimits {
  const base = draft?.before ?? row.saved ?? NEW;
  if (!draft) return base;
  const read = (field: Limit) => {
    const amount = parseAmount(row.resource, field, shownText(row, draft, field));
    return amount === undefined ? base[field] : amount;
  };
  return {
    guarantee: read("guarantee") ?? 0,
    deserved: read("deserved") ?? 0,
    ceiling: read("ceiling"),
    user_ceiling: read("user_ceiling"),
    weight: (draft.texts.weight ?? base.weight) as QuotaLimits["weight"],
  };
}

// Saving

/** Quotas that would be others, as the preview counts them. */
export function countChanges(drafts: Drafts): number {
  const isChange = ({ texts, before, isRemoved }: Drafts[string]) =>
    isRemoved || !before || Object.keys(texts).length > 0;
  return Object.values(drafts).filter(isChange).length;
}

/** The change that the drafts stand for, with the key of the row of each edit. */
export function editsOf(
  rows: readonly EditorRow[],
  drafts: Drafts,
): { keys: string[]; changes: QuotaEditInput[] } {
  const edited = rows.flatMap((row) => {
    const draft = drafts[row.key];
    return draft ? [{ row, draft }] : [];
  });
  return {
    keys: edited.map(({ row }) => row.key),
    changes: edited.map(({ row, draft }) => ({
      ...draft.subject,
      resource: draft.subject.resource as QuotaEditInput["resource"],
      before: draft.before,
      after: draft.isRemoved ? null : draftedLimits(row, draft),
    })),
  };
}

/** Drafts for what a file, or anything else, would change. */
export function draftsOf(edits: readonly QuotaEdit[]): Drafts {
  return Object.fromEntries(
    edits.flatMap(({ before, after, ...subject }) => {
      if (after === null)
        return [[keyOf(subject), { subject, before, texts: {}, isRemoved: true }]];
      const texts = FIELDS.flatMap((field) => {
        const text = textOf(subject.resource, field, after);
        return text === textOf(subject.resource, field, before ?? NEW) ? [] : [[field, text]];
      });
      return [[keyOf(subject), { subject, before, texts: Object.fromEntries(texts) }]];
    }),
  );
}

/** The drafts with those of a file over them: a cell in which the file changes nothing stays as typed. */
export function withFile(drafts: Drafts, read: Drafts): Drafts {
  const merged = Object.entries(read).map(([key, file]) => {
    const mine = drafts[key];
    const isTyped = mine && !mine.isRemoved && !file.isRemoved;
    return [key, isTyped ? { ...file, texts: { ...mine.texts, ...file.texts } } : file];
  });
  return { ...drafts, ...Object.fromEntries(merged) };
}

/** What the server refused of a row, or of one cell of it. */
export interface Refusal {
  field: QuotaField | undefined;
  detail: string;
}

/** By the key of the row. */
export type Refusals = Readonly<Record<string, readonly Refusal[]>>;

// Sums

export interface Promised {
  guarantee: number;
  deserved: number;
}

/** One resource in one pool, or in all pools together. */
export interface ScopeSums {
  pool: string | null;
  resource: string;
  /** What all groups are promised together. */
  total: Promised;
  /** What the groups below a group are promised together. */
  below: Readonly<Record<string, Promised>>;
  capacity: QuotaCapacity | undefined;
}

/** What promises add up to in every scope in which there are any, as the scheduler sums them. */
export function sumPromises(
  groups: readonly Group[],
  rows: readonly EditorRow[],
  drafts: Drafts,
  capacities: readonly QuotaCapacity[],
): ScopeSums[] {
  const limits = new Map(
    rows
      .filter(({ isEmpty, model, key }) => !isEmpty && model === "" && !drafts[key]?.isRemoved)
      .map((row) => [row.key, draftedLimits(row, drafts[row.key])]),
  );
  const scopes = new Map(
    rows
      .filter(({ isEmpty, model }) => !isEmpty && model === "")
      .map(({ pool, resource }) => [`${pool ?? ""}|${resource}`, { pool, resource }]),
  );
  return [...scopes.values()]
    .map((scope) => sumScope(groups, limits, scope, capacities))
    .filter(({ total }) => total.deserved > 0)
    .toSorted((one, other) =>
      byResourceAndPool({ ...one, group: "", model: "" }, { ...other, group: "", model: "" }),
    );
}

function sumScope(
  groups: readonly Group[],
  limits: ReadonlyMap<string, QuotaLimits>,
  { pool, resource }: { pool: string | null; resource: string },
  capacities: readonly QuotaCapacity[],
): ScopeSums {
  const known = new Set(groups.map(({ id }) => id));
  const below: Record<string, Promised> = {};
  const promisedTo = ({ id }: Group): Promised => {
    const own = limits.get(keyOf({ group: id, pool, resource, model: "" }));
    const sum = add(groups.filter(({ parent }) => parent === id).map(promisedTo));
    below[id] = sum;
    const guarantee = Math.max(own?.guarantee ?? 0, sum.guarantee);
    return { guarantee, deserved: Math.max(own?.deserved ?? 0, sum.deserved, guarantee) };
  };
  const tops = groups.filter(({ parent }) => !parent || !known.has(parent));
  return {
    pool,
    resource,
    total: add(tops.map(promisedTo)),
    below,
    capacity: capacities.find((each) => each.pool === pool && each.resource === resource),
  };
}

function add(parts: readonly Promised[]): Promised {
  return parts.reduce(
    (sum, { guarantee, deserved }) => ({
      guarantee: sum.guarantee + guarantee,
      deserved: sum.deserved + deserved,
    }),
    { guarantee: 0, deserved: 0 },
  );
}

/** Whether the groups below are promised more than the group has itself. */
export function isOverParent(limits: QuotaLimits, sum: Promised, field: keyof Promised): boolean {
  const own = limits[field];
  const isAboveCeiling = limits.ceiling !== null && sum[field] > limits.ceiling;
  return isAboveCeiling || (own > 0 && sum[field] > own);
}
