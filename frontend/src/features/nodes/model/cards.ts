/** Which cards of the map are shown, what they add up to, and what they measure. Pure. */

import type { CardValues } from "@/shared/api/types";
import type { MapCard, MapHolder } from "@/shared/cluster/model/board";
import { type Language, titleOf } from "@/shared/i18n/language";
import type { CardSearch } from "./card-search";

const MINUTE_MS = 60_000;

/** The cards that an address asks for. */
export function chosenCards(cards: readonly MapCard[], search: CardSearch, now: number): MapCard[] {
  const { pool, model, state, owner, team, idle } = search;
  const tests: ((card: MapCard) => boolean)[] = [];
  if (pool) tests.push((card) => card.pool.name === pool);
  if (model) tests.push((card) => card.model === model);
  if (state) tests.push((card) => isInState(card, state));
  if (owner || team)
    tests.push(({ parts }) => parts.some(({ holder }) => isHolder(holder, search)));
  if (idle) {
    const before = now - idle * MINUTE_MS;
    tests.push(({ idleSince }) => idleSince !== null && idleSince <= before);
  }
  return cards.filter((card) => tests.every((isMet) => isMet(card)));
}

function isInState(card: MapCard, state: NonNullable<CardSearch["state"]>): boolean {
  if (state === "faulty") return isFaulty(card);
  return state === "idle" ? card.idleSince !== null : card.status === state;
}

/** Lost cards are a number of their own. */
function isFaulty({ state, status }: MapCard): boolean {
  return state !== "ok" && status !== "lost";
}

interface CardSums {
  cards: number;
  held: number;
  free: number;
  out: number;
  faulty: number;
  lost: number;
  /** Thousandths of a GPU that idle work holds. */
  idle_milli: number;
}

/** What some cards add up to; with a person or group, only what that holds of them is idle. */
export function sumsOf(cards: readonly MapCard[], search: CardSearch = {}): CardSums {
  const count = (is: (card: MapCard) => boolean) => cards.filter(is).length;
  const idle = cards
    .flatMap(({ parts }) => parts)
    .filter(({ holder }) => holder.idle_since !== null && isHolder(holder, search));
  return {
    cards: cards.length,
    held: count(({ status }) => status === "held"),
    free: count(({ status }) => status === "free"),
    out: count(({ status }) => status === "out"),
    faulty: count(isFaulty),
    lost: count(({ status }) => status === "lost"),
    idle_milli: idle.reduce((sum, { gpu_milli }) => sum + gpu_milli, 0),
  };
}

function isHolder({ owner: person, group }: MapHolder, { owner, team }: CardSearch): boolean {
  return (!owner || person?.id === owner) && (!team || group?.id === team);
}

/** What can be chosen in a filter: those who hold something now, by name. */
export function holdersIn(cards: readonly MapCard[], language: Language) {
  const people = new Map<string, string>();
  const teams = new Map<string, string>();
  for (const { parts } of cards) {
    for (const { holder } of parts) {
      const { owner, group } = holder;
      if (owner) people.set(owner.id, owner.display_name || owner.username);
      if (group) teams.set(group.id, titleOf(group, language));
    }
  }
  return { people: byName(people), teams: byName(teams) };
}

function byName(names: ReadonlyMap<string, string>): { value: string; label: string }[] {
  return [...names]
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label));
}

/** What one card measures now; null where it is not measured. */
export interface CardMeasures {
  use: number | null;
  memory: number | null;
  temperature: number | null;
  power: number | null;
}

const NOTHING: CardMeasures = { use: null, memory: null, temperature: null, power: null };

/** The values of one card, if both answers are about the same cards. */
export function measuresOf(
  values: CardValues | undefined,
  order: string,
  at: number,
): CardMeasures {
  if (values?.order !== order) return NOTHING;
  return {
    use: values.utilisation_pct[at] ?? null,
    memory: values.memory_used_mib[at] ?? null,
    temperature: values.temperature_c[at] ?? null,
    power: values.power_w[at] ?? null,
  };
}
