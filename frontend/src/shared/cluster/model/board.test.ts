import { expect, it } from "vitest";
import { aCardMap } from "@/testing/card-map";
import { boardsOf, countCards, inPlaces, type MapCard, stripCardOf } from "./board";
import { CELL_USES, cellsOf, countUses } from "./cells";

const NODES = ["joining", "ready", "unready", "lost", "draining", "drained", "cordoned"];
const CARDS = ["ok", "dirty", "suspect", "bad", "gone"];
/** How many slices are held: by nobody, in part, whole. */
const HELD = (slices: number) => (slices === 1 ? [0, 1] : [0, 3, slices]);
/** Mine, of another, of another on a lent card, hidden. */
const HOLDERS = [0, 1, 2, 3];

/** A card for every state of a node, every state of a card and every holder. */
function everyState(slices: number) {
  const cases = NODES.flatMap((_, node) =>
    CARDS.flatMap((state) =>
      HELD(slices).flatMap((held) => HOLDERS.map((holder) => ({ node, state, held, holder }))),
    ),
  );
  const all = <Value>(read: (one: (typeof cases)[number], at: number) => Value) => cases.map(read);
  const parts = cases.flatMap(({ held, holder }, card) =>
    Array.from({ length: held }, (_, slot) => ({ card, slot, holder })),
  );
  const map = aCardMap({
    cards_total: cases.length,
    nodes: NODES.map((state, at) => ({
      id: `n${at}`,
      name: `node-${at}`,
      pool: 0,
      state,
      hold: "",
    })),
    cards: {
      id: all((_, at) => `card-${at}`),
      node: all(({ node }) => node),
      index: all((_, at) => at),
      model: all(() => 0),
      state: all(({ state }) => state),
      fault: all(() => ""),
      slices: all(() => slices),
      memory_mib: all(() => 81_920),
    },
    holders: {
      mine: [true, false, false, false],
      kind: HOLDERS.map(() => "training"),
      workload: ["w", "w", "w", null],
      name: ["mine", "theirs", "guest", null],
      owner: [0, 0, 0, -1],
      group: [0, 0, 0, -1],
      idle_since: HOLDERS.map(() => null),
    },
    parts: {
      card: parts.map(({ card }) => card),
      slot: parts.map(({ slot }) => slot),
      gpu_milli: parts.map(() => 1000 / slices),
      holder: parts.map(({ holder }) => holder),
      is_lent: parts.map(({ holder }) => holder === 2),
    },
  });
  return { map, cases };
}

const cellsIn = (cards: readonly MapCard[]) =>
  cards.flatMap((card) => cellsOf(stripCardOf(card), card.node.state));

it.each([1, 8])("adds up to all cards in every state, with %i slices each", (slices) => {
  const { map, cases } = everyState(slices);
  const cards = boardsOf(map)[0]?.cards ?? [];
  const uses = countUses(cellsIn(cards));
  const count = countCards(cards);
  expect(cards).toHaveLength(cases.length);
  expect(count.total).toBe(cases.length * slices);
  expect(Object.values(uses).reduce((sum, each) => sum + each, 0)).toBe(count.total);
  expect(uses.free).toBe(count.free);
  expect(uses.lost).toBe(count.lost * slices);
  // Each look is there, but for what a draft would take; only a usable card of a ready node is free.
  for (const use of CELL_USES) expect([use, uses[use] > 0]).toEqual([use, use !== "planned"]);
  const usable = cases.filter(({ node, state }) => NODES[node] === "ready" && state === "ok");
  expect(count.free).toBe(usable.reduce((sum, { held }) => sum + slices - held, 0));
  const status = (wanted: string) => cards.filter((card) => card.status === wanted).length;
  expect(status("held") + status("free") + status("out") + status("lost")).toBe(cases.length);
});

it("counts the most that one card, or of whole GPUs one node, could give", () => {
  expect(countCards(boardsOf(everyState(8).map)[0]?.cards ?? []).largest).toBe(8);
  const whole = countCards(boardsOf(everyState(1).map)[0]?.cards ?? []);
  expect([whole.largest, whole.free]).toEqual([HOLDERS.length, HOLDERS.length]);
});

it("has pools without cards, and cards in the order of their places", () => {
  const map = aCardMap();
  map.cards.index = [0, 7, 2];
  const [development, training] = boardsOf(map);
  expect([development?.cards.length, training?.cards.map(({ name }) => name)]).toEqual([
    1,
    ["gpu-train-1 #2", "gpu-train-1 #7"],
  ]);
  expect(inPlaces([])).toEqual([]);
  expect(countCards([])).toEqual({ isCut: false, total: 0, free: 0, largest: 0, lost: 0 });
});
