/**
 * The board of the cluster: every card with its pool, node and holders, from one answer of the server. What a
 * number, a strip and the map say of a pool is counted here, so that they cannot disagree. Pure.
 */
import type { CardMap } from "@/shared/api/types";
import { cellsOf, countUses } from "./cells";

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

/** `lost` has left by an error; each other card is held, free, or neither and so out of service. */
export type CardStatus = "held" | "free" | "out" | "lost";

export interface MapCard {
  /** Place in the columns of the server, and of what is measured. */
  at: number;
  id: string;
  /** `gpu-1 #3` */
  name: string;
  /** Among the cards of its node. */
  index: number;
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
    index: cards.index[at] as number,
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
  if (state === "gone") return "lost";
  if (holders > 0) return "held";
  return state === "ok" && nodeState === "ready" ? "free" : "out";
}

function idleSinceOf(parts: readonly MapPart[]): number | null {
  const idle = parts.flatMap(({ holder: { idle_since } }) => idle_since ?? []);
  return idle.length === 0 ? null : Math.min(...idle.map((at) => Date.parse(at)));
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

/** What a pool has, and what of it is free: in slices where its cards are cut, in whole GPUs else. */
export interface PoolCount {
  /** Whether it is counted in slices. */
  isCut: boolean;
  total: number;
  free: number;
  /** The most that one card, or of whole GPUs one node, could give. */
  largest: number;
  /** GPUs that have left by an error; they are part of the total. */
  lost: number;
}

/** Count the cards of a pool by the cells that are drawn of them. */
export function countCards(cards: readonly MapCard[]): PoolCount {
  const isCut = cards.some(({ slices }) => slices > 1);
  const counted = isCut ? cards.filter(({ slices }) => slices > 1) : cards;
  const freeAt = new Map<string, number>();
  let total = 0;
  for (const card of counted) {
    const cells = cellsOf(stripCardOf(card), card.node.state);
    total += cells.length;
    const place = isCut ? card.id : card.node.id;
    freeAt.set(place, (freeAt.get(place) ?? 0) + countUses(cells).free);
  }
  const free = [...freeAt.values()];
  return {
    isCut,
    total,
    free: free.reduce((sum, each) => sum + each, 0),
    largest: Math.max(0, ...free),
    lost: cards.filter(({ status }) => status === "lost").length,
  };
}

/** One pool of the board: what waits for it and its cards, node by node. */
export type PoolBoard = CardMap["pools"][number] & { cards: MapCard[] };

/** `gpu-9` before `gpu-10`. Comparing without a collator of one's own takes ten times as long. */
const NAMES = new Intl.Collator("en", { numeric: true });

/** Pool by pool and node by node, the cards of a node by their place in it. */
export function inPlaces(cards: readonly MapCard[]): MapCard[] {
  const ofNode = new Map<MapNode, MapCard[]>();
  for (const card of cards) {
    const known = ofNode.get(card.node);
    if (known) known.push(card);
    else ofNode.set(card.node, [card]);
  }
  for (const group of ofNode.values()) group.sort((a, b) => a.index - b.index);
  return [...ofNode.values()].sort(([a], [b]) => compareNodes(a as MapCard, b as MapCard)).flat();
}

function compareNodes(a: MapCard, b: MapCard): number {
  return NAMES.compare(a.pool.name, b.pool.name) || NAMES.compare(a.node.name, b.node.name);
}

/** The board pool by pool. */
export function boardsOf(map: CardMap): PoolBoard[] {
  const cards = inPlaces(cardsOf(map));
  return map.pools.map((pool) => ({ ...pool, cards: cards.filter((card) => card.pool === pool) }));
}
