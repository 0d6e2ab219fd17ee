import { expect, it } from "vitest";
import type { CardMap } from "@/shared/api/types";
import { cardsOf } from "@/shared/cluster/model/board";
import { SCALE } from "@/shared/cluster/model/cells";
import { aCardMap } from "@/testing/card-map";
import {
  colouringOf,
  type Painting,
  paintMap,
  paintParts,
  paintValues,
  UNMEASURED,
} from "./card-paint";
import {
  CARD_WIDTH,
  cardAt,
  fitHeight,
  fitView,
  hintPlace,
  neighbourOf,
  placeCards,
  viewWith,
  zoomView,
} from "./card-places";

const CARDS = cardsOf(aCardMap());
const PLACES = placeCards(CARDS, 2);
const THEME = {
  ...{ free: "free", edge: "edge", taken: "taken", mine: "mine", idle: "idle" },
  ...{ broken: "broken", out: "out", text: "text", ground: "ground", font: "sans" },
  hues: ["hue-0", "hue-1"],
};

/** So many cards, eight on a node. */
function aCluster(count: number): CardMap {
  const each = <T>(make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
  const map = aCardMap();
  return {
    ...map,
    nodes: Array.from({ length: count / 8 }, (_, at) => ({
      ...{ id: `n${at}`, name: `gpu-${at}`, pool: at % 2, state: "ready", hold: "" },
    })),
    cards: {
      id: each((at) => `c${at}`),
      node: each((at) => at >> 3),
      index: each((at) => at & 7),
      model: each(() => 0),
      state: each(() => "ok"),
      fault: each(() => ""),
      slices: each(() => 1),
      memory_mib: each(() => 1000),
    },
    parts: { card: [], slot: [], gpu_milli: [], holder: [], is_lent: [] },
  };
}

it("places every card once, pool by pool, and shows all of them", () => {
  const places = placeCards(cardsOf(aCluster(1600)), 2.2);
  const spots = new Set(places.cards.map((_, at) => `${places.x[at]} ${places.y[at]}`));
  expect(spots.size).toBe(1600);
  expect(places.pools).toHaveLength(2);
  expect(places.nodes).toHaveLength(200);
  const { zoom } = fitView(places, 1400, 620);
  expect(places.width * zoom).toBeLessThanOrEqual(1400.5);
  expect(places.height * zoom).toBeLessThanOrEqual(620.5);
  expect(zoom).toBeGreaterThan(0.5);
});

it("finds the card at a pixel, wherever the map is seen from", () => {
  const view = zoomView(fitView(PLACES, 1000, 600), 2, 300, 200);
  for (const at of PLACES.cards.keys()) {
    const x = ((PLACES.x[at] ?? 0) + 3 - view.x) * view.zoom;
    const y = ((PLACES.y[at] ?? 0) + 3 - view.y) * view.zoom;
    expect(cardAt(PLACES, view, x, y)).toBe(at);
  }
  expect(cardAt(PLACES, view, -500, -500)).toBe(-1);
});

it("leaves a margin, and as much height as the cards need", () => {
  const view = fitView(PLACES, 1000, fitHeight(PLACES));
  const [left, right] = [-view.x * view.zoom, (PLACES.width - view.x) * view.zoom];
  expect(left).toBeGreaterThan(4);
  expect(right).toBeLessThan(1000);
  const bottomOf = (high: number) => {
    const { y, zoom } = fitView(PLACES, 1000, high);
    return (PLACES.height - y) * zoom;
  };
  expect(bottomOf(fitHeight(PLACES))).toBeCloseTo(fitHeight(PLACES) - 8, -0.5);
  for (const high of [40, 120, 200]) expect(bottomOf(high)).toBeLessThanOrEqual(high - 7.9);
});

it("keeps the words about a card within the canvas, on the side that has more of it", () => {
  const one = (x: number, y: number) => ({
    ...PLACES,
    x: Float32Array.of(x),
    y: Float32Array.of(y),
  });
  const view = { x: 0, y: 0, zoom: 1 };
  expect(hintPlace(one(10, 10), view, 0, 1000, 600)).toEqual({ left: 10, top: 26, maxWidth: 320 });
  expect(hintPlace(one(960, 580), view, 0, 1000, 600)).toEqual({
    right: 10,
    bottom: 26,
    maxWidth: 320,
  });
  // On a phone the words are as wide as what is left beside the card's edge.
  expect(hintPlace(one(100, 10), view, 0, 340, 600)).toMatchObject({ left: 100, maxWidth: 240 });
});

it("keeps the place under the pointer while it zooms", () => {
  const before = fitView(PLACES, 1000, 600);
  const after = zoomView(before, 1.7, 120, 80);
  expect(after.x + 120 / after.zoom).toBeCloseTo(before.x + 120 / before.zoom);
});

it("walks from card to card, and moves the view no further than needed", () => {
  const below = neighbourOf(PLACES, 1, "ArrowDown");
  expect(PLACES.cards[below]?.name).toBe("gpu-train-1 #1");
  expect(neighbourOf(PLACES, below, "ArrowDown")).toBe(below);
  expect(PLACES.cards[neighbourOf(PLACES, 0, "ArrowDown")]?.name).toBe("gpu-train-1 #0");
  const view = viewWith(PLACES, { x: 500, y: 500, zoom: 4 }, 0, 300, 200);
  expect(view.x).toBeLessThan(PLACES.x[0] ?? 0);
  expect(view.x + 300 / 4).toBeGreaterThan((PLACES.x[0] ?? 0) + CARD_WIDTH);
});

/** Remembers which rectangle was filled in which colour. */
function aCanvas() {
  const fills: [string, number][] = [];
  const nothing = () => undefined;
  const known: Record<string, unknown> = {
    fillStyle: "",
    fillRect: (_x: number, _y: number, wide: number) => fills.push([String(ctx.fillStyle), wide]),
  };
  const ctx = new Proxy(known, {
    get: (target, name) => (name in target ? target[name as string] : nothing),
  }) as unknown as CanvasRenderingContext2D;
  return { ctx, fills };
}

function painted(runs: Painting["runs"], view = { x: 0, y: 0, zoom: 1 }) {
  const { ctx, fills } = aCanvas();
  const size = { width: 1000, height: 600 };
  paintMap(ctx, {
    places: PLACES,
    runs,
    theme: THEME,
    view,
    ...size,
    focus: -1,
    poolTitle: (id) => id,
  });
  return fills;
}

it("draws as free what no part covers whole, parts over it, and neighbours of one colour at once", () => {
  const runs = paintParts(PLACES, THEME, ({ holder }) => (holder.idle_since ? "idle" : "taken"));
  expect(painted(runs).sort()).toEqual(
    [
      ["broken", 30],
      ["free", 30],
      ["free", 30],
      ["idle", 8],
      ["taken", 4],
    ].sort(),
  );
});

it("leaves out what is not seen", () => {
  const runs = paintParts(PLACES, THEME, () => "taken");
  expect(painted(runs, { x: 5_000, y: 0, zoom: 1 })).toEqual([]);
});

it("colours what is measured on one scale, and nothing else", () => {
  const values = [0, 100, null];
  const runs = paintValues(PLACES, ({ at }) => values[at] ?? null, [0, 100]);
  expect([...runs.colour]).toEqual([0, SCALE.length - 1, UNMEASURED]);
  const drawn = painted(runs).map(([colour]) => colour);
  expect(drawn.sort()).toEqual(["free", SCALE[0], SCALE.at(-1)].sort());
});

it("gives hues to the groups that hold most, and power a range up to its largest", () => {
  expect(colouringOf("team", CARDS, []).hueOf.get("22222222-2222-2222-2222-222222222222")).toBe(0);
  expect(colouringOf("power", CARDS, [120, null, 310]).range).toEqual([0, 400]);
  expect(colouringOf("use", CARDS, []).range).toEqual([0, 100]);
});
