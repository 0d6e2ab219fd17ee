/** The cards of the map, put together from columns; filters, and what they add up to. Pure. */

import type { CardMap, CardValues } from "@/shared/api/types";
import { type Language, titleOf } from "@/shared/i18n/language";
import type { CardSearch } from "./card-search";

/** Work on GPUs of one node; of other tenants' work only that it is there. */
export interface MapHolder {
  mine: boolean;
  kind: string;
  workload: string | null;
  name: string | null;
  owner: CardMap["people"][number] | null;
  group: CardMap["groups"][number] | null;
  idle_since: string | null;
}

export type MapNode = CardMap["nodes"][number];

/** An occupied part of a card: a slice, a fraction, or all of it. */
export interface MapPart {
  slot: number;
  gpu_milli: number;
  holder: MapHolder;
  isLent: boolean;
}

/** `missing` has left by an error; each other card is held, free, or neither and so out of service. */
export type CardStatus = "held" | "free" | "out" | "missing";

export interface MapCard {
  /** Place in the columns of the server, and of what is measured. */
  at: number;
  id: string;
  /** `gpu-1 #3` */
  name: string;
  node: MapNode;
  pool: CardMap["pools"][number];
  model: string;
  state: string;
  fault: string;
  slices: number;
  memory_mib: number;
  parts: MapPart[];
  status: CardStatus;
  /** Since when (ms) its idlest work has not used it; null while all is in use. */
  idleSince: number | null;
}

/** Put the columns together: one object for each card, in the order of the server. */
export function cardsOf(map: CardMap): MapCard[] {
  const { cards, nodes, pools, parts } = map;
  const holders = holdersOfMap(map);
  const partsOf: MapPart[][] = cards.id.map(() => []);
  parts.card.forEach((card, row) => {
    const holder = holders[parts.holder[row] ?? -1];
    if (!holder) return;
    partsOf[card]?.push({
      slot: parts.slot[row] ?? 0,
      gpu_milli: parts.gpu_milli[row] ?? 0,
      holder,
      isLent: parts.is_lent[row] ?? false,
    });
  });
  return cards.id.flatMap((id, at) => {
    const node = nodes[cards.node[at] as number];
    const pool = node && pools[node.pool];
    return pool ? cardAtRow(map, { id, at, node, pool, parts: partsOf[at] ?? [] }) : [];
  });
}

function holdersOfMap({ holders, people, groups }: CardMap): MapHolder[] {
  return holders.kind.map((kind, at) => ({
    kind,
    mine: holders.mine[at] as boolean,
    workload: holders.workload[at] ?? null,
    name: holders.name[at] ?? null,
    owner: people[holders.owner[at] as number] ?? null,
    group: groups[holders.group[at] as number] ?? null,
    idle_since: holders.idle_since[at] ?? null,
  }));
}

/** One row of the columns, with what its places refer to. */
function cardAtRow(
  { cards, models }: CardMap,
  { at, ...known }: Pick<MapCard, "id" | "at" | "node" | "pool" | "parts">,
): MapCard {
  const state = cards.state[at] as string;
  return {
    ...known,
    at,
    name: `${known.node.name} #${cards.index[at]}`,
    model: models[cards.model[at] as number] ?? "",
    state,
    fault: cards.fault[at] as string,
    slices: Math.max(1, cards.slices[at] as number),
    memory_mib: cards.memory_mib[at] as number,
    status: statusOf(state, known.node.state, known.parts.length),
    idleSince: idleSinceOf(known.parts),
  };
}

/** The same as the overview counts: free is usable and without a holder. */
function statusOf(state: string, nodeState: string, holders: number): CardStatus {
  if (state === "gone") return "missing";
  if (holders > 0) return "held";
  return state === "ok" && nodeState === "ready" ? "free" : "out";
}

function idleSinceOf(parts: readonly MapPart[]): number | null {
  const idle = parts.flatMap(({ holder: { idle_since } }) => idle_since ?? []);
  return idle.length === 0 ? null : Math.min(...idle.map((at) => Date.parse(at)));
}

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
  if (state === "faulty") return card.state !== "ok";
  return state === "idle" ? card.idleSince !== null : card.status === state;
}

interface CardSums {
  cards: number;
  held: number;
  free: number;
  out: number;
  faulty: number;
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
    faulty: count(({ state }) => state !== "ok"),
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

/** A card as its strip draws it. */
export function stripCardOf({ id, slices, state, parts }: MapCard) {
  return {
    id,
    slices,
    state,
    holders: parts.map(({ slot, holder, isLent }) => ({
      slot,
      mine: holder.mine,
      visible: holder.workload !== null,
      lent: isLent,
      workload_id: holder.workload,
      workload_name: holder.name,
      owner: holder.owner,
    })),
  };
}
