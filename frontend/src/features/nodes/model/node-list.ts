/** The nodes as a list: what its filters keep, what is free of each, and what may be done to it. Pure. */
import type { Node } from "@/shared/api/types";
import type { NodeAction } from "../api/nodes";

/** What the address remembers of the list. */
export interface NodeSearch {
  /** Else each node is drawn with its cards, pool by pool. */
  as?: "list";
  /** Part of a name, of an address or of a model of GPUs. */
  node?: string;
  /** The id of a pool. */
  pool?: string;
  state?: NodeListState;
  model?: string;
  attention?: true;
}

export const NODE_STATES = [
  "ready",
  "unready",
  "lost",
  "cordoned",
  "draining",
  "drained",
  "joining",
] as const;
type NodeListState = (typeof NODE_STATES)[number];

/** Letters of each word that may be any text. */
const LETTERS = { node: 100, pool: 36, model: 100 } as const;

export function readNodeSearch(search: Record<string, unknown>): NodeSearch {
  const state = NODE_STATES.find((name) => name === search.state);
  const texts = Object.entries(LETTERS).flatMap(([name, most]) => {
    const text = search[name];
    return typeof text === "string" && text ? [[name, text.slice(0, most)]] : [];
  });
  return {
    ...(search.as === "list" && { as: "list" as const }),
    ...(state && { state }),
    ...(search.attention === true && { attention: true as const }),
    ...Object.fromEntries(texts),
  };
}

export function isNodeFiltered({ as: _, ...filters }: NodeSearch): boolean {
  return Object.keys(filters).length > 0;
}

/** The nodes that an address asks for, by name. */
export function chosenNodes(nodes: readonly Node[], search: NodeSearch): Node[] {
  const { node: text = "", pool, state, model, attention } = search;
  const part = text.toLowerCase();
  return nodes
    .filter(
      (node) =>
        (!pool || node.pool.id === pool) &&
        (!state || node.state === state) &&
        (!model || node.models.some(({ name }) => name === model)) &&
        (!attention || needsAttention(node)) &&
        textsOf(node).some((each) => each.toLowerCase().includes(part)),
    )
    .sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

function textsOf({ name, address, models }: Node): string[] {
  return [name, address, ...models.map((model) => model.name)];
}

/** Whether something is wrong with it or a card of it; what an operator holds back is not. */
export function needsAttention(node: Node): boolean {
  const { state, faults } = node;
  return state === "unready" || state === "lost" || faults.length > 0 || brokenCards(node) > 0;
}

export function brokenCards({ accelerators }: Node): number {
  return accelerators.filter(({ state }) => state !== "ok").length;
}

/** Cards that nobody holds a part of and that take work now. */
export function freeCards({ state, accelerators }: Node): number {
  if (state !== "ready") return 0;
  return accelerators.filter((card) => card.state === "ok" && card.holders.length === 0).length;
}

/** What an operator may do to a node in its present state. */
export function actionsOf({ hold, state, drain_stops }: Node): NodeAction[] {
  const found: NodeAction[] = [];
  if (hold === "quarantine") return state === "lost" ? ["retire"] : found;
  if (hold === "") found.push("cordon");
  if (hold !== "drain") found.push("drain");
  if (state !== "drained" && !drain_stops) found.push("evacuate");
  if (hold !== "") found.push("uncordon");
  if (state === "drained" || state === "lost") found.push("retire");
  return found;
}
