import { expect, it } from "vitest";
import { cardsOf } from "@/shared/cluster/model/board";
import { aCardMap, IDLE_SINCE } from "@/testing/card-map";
import { readCardSearch } from "./card-search";
import { chosenCards, holdersIn, measuresOf, sumsOf } from "./cards";

const CARDS = cardsOf(aCardMap());
const NOW = Date.parse(IDLE_SINCE) + 45 * 60_000;
const chosen = (search: Record<string, unknown>) =>
  chosenCards(CARDS, readCardSearch(search), NOW).map(({ name }) => name);

it("puts the columns together", () => {
  expect(CARDS.map(({ name, status, pool }) => [name, status, pool.name])).toEqual([
    ["gpu-dev-1 #0", "held", "development"],
    ["gpu-train-1 #0", "free", "training"],
    ["gpu-train-1 #1", "out", "training"],
  ]);
  expect(CARDS[0]?.idleSince).toBe(Date.parse(IDLE_SINCE));
});

it("counts each card as held, free or out of service, and idle parts in thousandths", () => {
  expect(sumsOf(CARDS)).toEqual({
    cards: 3,
    held: 1,
    free: 1,
    out: 1,
    faulty: 1,
    lost: 0,
    idle_milli: 250,
  });
  expect(sumsOf(CARDS, { owner: "somebody else" }).idle_milli).toBe(0);
});

it("counts a lost card as lost and as nothing else", () => {
  const map = aCardMap();
  map.cards.state[2] = "gone";
  const { cards, held, free, out, faulty, lost } = sumsOf(cardsOf(map));
  expect([cards, held, free, out, faulty, lost]).toEqual([3, 1, 1, 0, 0, 1]);
});

it("counts a usable card of a node that takes no work as out of service", () => {
  const map = aCardMap();
  for (const node of map.nodes) node.state = "cordoned";
  expect(cardsOf(map).map(({ status }) => status)).toEqual(["held", "out", "out"]);
});

it("filters by what the address says, and ignores what it cannot mean", () => {
  expect(chosen({ pool: "training" })).toHaveLength(2);
  expect(chosen({ state: "faulty" })).toEqual(["gpu-train-1 #1"]);
  expect(chosen({ state: "idle" })).toEqual(["gpu-dev-1 #0"]);
  expect(chosen({ idle: 30 })).toEqual(["gpu-dev-1 #0"]);
  expect(chosen({ idle: 60 })).toEqual([]);
  expect(chosen({ team: "22222222-2222-2222-2222-222222222222" })).toEqual(["gpu-dev-1 #0"]);
  expect(chosen({ model: "A100" })).toEqual([]);
  expect(readCardSearch({ state: "x", owner: "me", idle: "1", colour: 7, view: [] })).toEqual({});
});

it("lists those who hold something", () => {
  expect(holdersIn(CARDS, "en").people.map(({ label }) => label)).toEqual(["Li Wei"]);
});

it("takes values only of the same cards", () => {
  const values = {
    order: "abc",
    utilisation_pct: [7, null, 3],
    memory_used_mib: [1, 2, 3],
    power_w: [300, null, 1],
    temperature_c: [60, null, 1],
  };
  expect(measuresOf(values, "abc", 0)).toEqual({ use: 7, memory: 1, temperature: 60, power: 300 });
  expect(measuresOf(values, "other", 0).use).toBeNull();
});
