/** Where each card stands on the map, in units of the map; and what is seen of it. Pure. */
import { inPlaces, type MapCard } from "@/shared/cluster/model/board";

export const CARD_WIDTH = 30;
export const CARD_HEIGHT = 10;
const GAP = 2;
const NODE_PAD = 4;
const NODE_HEAD = 11;
const NODE_GAP = 8;
const POOL_HEAD = 36;
const POOL_GAP = 14;
/** Of one node: of a few nodes in a row, or else most of the width would be empty. */
const ROWS_OF_CARDS = { few: 2, many: 8 };
const FEW_NODES = 12;

interface PlacedNode {
  name: string;
  state: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface PlacedPool {
  id: string;
  y: number;
}

/** All places; a card's are those at its place in `cards`. */
export interface CardPlaces {
  cards: readonly MapCard[];
  x: Float32Array;
  y: Float32Array;
  nodes: PlacedNode[];
  pools: PlacedPool[];
  width: number;
  height: number;
}

/** What part of the map is seen: the place at the upper left, and pixels for each unit. */
export interface MapView {
  x: number;
  y: number;
  zoom: number;
}

/** Place cards by pool and node, in rows of a width that suits the shape of the canvas. */
export function placeCards(chosen: readonly MapCard[], aspect: number): CardPlaces {
  const cards = inPlaces(chosen);
  const nodes = nodesOf(cards);
  const width = rowWidth(nodes, aspect);
  const places: CardPlaces = {
    cards,
    x: new Float32Array(cards.length),
    y: new Float32Array(cards.length),
    nodes: [],
    pools: [],
    width,
    height: 0,
  };
  let [x, y, rowHeight, pool] = [0, 0, 0, ""];
  for (const shape of nodes) {
    const { from, width: wide, height: high } = shape;
    const first = cards[from] as MapCard;
    if (first.pool.id !== pool) {
      y += pool ? rowHeight + POOL_GAP : 0;
      pool = first.pool.id;
      places.pools.push({ id: pool, y });
      [x, y, rowHeight] = [0, y + POOL_HEAD, 0];
    } else if (x + wide > width) {
      [x, y, rowHeight] = [0, y + rowHeight + NODE_GAP, 0];
    }
    const { name, state } = first.node;
    places.nodes.push({ name, state, x, y, width: wide, height: high });
    placeInNode(places, shape, x, y);
    rowHeight = Math.max(rowHeight, high);
    x += wide + NODE_GAP;
  }
  places.height = y + rowHeight;
  return places;
}

interface NodeShape {
  from: number;
  to: number;
  columns: number;
  width: number;
  height: number;
}

/** The runs of cards of one node, each with the size of its box. */
function nodesOf(cards: readonly MapCard[]): NodeShape[] {
  const isFew = new Set(cards.map(({ node }) => node)).size <= FEW_NODES;
  const most = isFew ? ROWS_OF_CARDS.few : ROWS_OF_CARDS.many;
  const found: NodeShape[] = [];
  let from = 0;
  cards.forEach((card, at) => {
    if (cards[at + 1]?.node === card.node) return;
    const count = at + 1 - from;
    const columns = columnsOf(count, most);
    const rows = Math.ceil(count / columns);
    found.push({
      from,
      to: at + 1,
      columns,
      width: 2 * NODE_PAD + columns * (CARD_WIDTH + GAP) - GAP,
      height: NODE_HEAD + 2 * NODE_PAD + rows * (CARD_HEIGHT + GAP) - GAP,
    });
    from = at + 1;
  });
  return found;
}

function columnsOf(cards: number, rows: number): number {
  return cards <= 2 ? 1 : Math.max(2, Math.ceil(cards / rows));
}

function rowWidth(nodes: readonly NodeShape[], aspect: number): number {
  const area = nodes.reduce(
    (sum, node) => sum + (node.width + NODE_GAP) * (node.height + NODE_GAP),
    0,
  );
  const widest = Math.max(0, ...nodes.map(({ width }) => width));
  return Math.max(widest, Math.sqrt(area * aspect) * 1.05);
}

function placeInNode(
  { x, y }: CardPlaces,
  { from, to, columns }: NodeShape,
  left: number,
  top: number,
) {
  for (let at = from; at < to; at += 1) {
    const [column, row] = [(at - from) % columns, Math.floor((at - from) / columns)];
    x[at] = left + NODE_PAD + column * (CARD_WIDTH + GAP);
    y[at] = top + NODE_PAD + NODE_HEAD + row * (CARD_HEIGHT + GAP);
  }
}

const ZOOM_MIN = 0.05;
const ZOOM_MAX = 8;
/** A few cards are not drawn larger than this. */
const FIT_MAX = 3;
const FIT_MARGIN = 8;
const TITLE_BASE = 32;
/** Pixels of a pool's title from near; from afar it is smaller. */
export const TITLE_MAX = 15;

/** The view that shows everything, without what is empty above the first title. */
export function fitView({ width, height }: CardPlaces, wide: number, high: number): MapView {
  const across = (wide - 2 * FIT_MARGIN) / Math.max(width, 1);
  const along = (high - 2 * FIT_MARGIN) / Math.max(height, 1);
  const below = (high - 2 * FIT_MARGIN - TITLE_MAX) / Math.max(height - TITLE_BASE, 1);
  const zoom = Math.max(ZOOM_MIN, Math.min(FIT_MAX, across, Math.max(along, below)));
  return { x: -FIT_MARGIN / zoom, y: fitTop(zoom), zoom };
}

function fitTop(zoom: number): number {
  return Math.max(-FIT_MARGIN / zoom, TITLE_BASE - (TITLE_MAX + FIT_MARGIN) / zoom);
}

/** How high a canvas has to be, in pixels, where everything is drawn as large as it may be. */
export function fitHeight({ height }: CardPlaces): number {
  return Math.ceil((height - fitTop(FIT_MAX)) * FIT_MAX) + FIT_MARGIN;
}

/** The line, in units of the map, on which the title of a pool stands. */
export function titleLine(pool: PlacedPool): number {
  return pool.y + TITLE_BASE;
}

/** The view after zooming by a factor around a pixel, which keeps its place. */
export function zoomView(view: MapView, factor: number, atX: number, atY: number): MapView {
  const zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, view.zoom * factor));
  return {
    x: view.x + atX / view.zoom - atX / zoom,
    y: view.y + atY / view.zoom - atY / zoom,
    zoom,
  };
}

/** The place in `cards` of the card at a pixel; -1 between cards. */
export function cardAt({ x, y }: CardPlaces, view: MapView, atX: number, atY: number): number {
  const [px, py] = [view.x + atX / view.zoom, view.y + atY / view.zoom];
  for (let at = 0; at < x.length; at += 1) {
    const [dx, dy] = [px - (x[at] ?? 0), py - (y[at] ?? 0)];
    if (dx >= 0 && dx < CARD_WIDTH && dy >= 0 && dy < CARD_HEIGHT) return at;
  }
  return -1;
}

const HINT_WIDTH = 320;
const HINT_GAP = 6;

/** Distances from the edges of the canvas, in pixels. */
export type HintPlace = { maxWidth: number } & ({ left: number } | { right: number }) &
  ({ top: number } | { bottom: number });

/** Where the words about a card stand: beside it, towards the middle of the canvas, and within its width. */
export function hintPlace(
  { x, y }: CardPlaces,
  view: MapView,
  at: number,
  wide: number,
  high: number,
): HintPlace {
  const left = ((x[at] ?? 0) - view.x) * view.zoom;
  const top = ((y[at] ?? 0) - view.y) * view.zoom;
  const right = wide - left - CARD_WIDTH * view.zoom;
  const below = top + CARD_HEIGHT * view.zoom;
  const isLeft = left <= right;
  const across = isLeft ? { left: Math.max(0, left) } : { right: Math.max(0, right) };
  const along = top <= high - below ? { top: below + HINT_GAP } : { bottom: high - top + HINT_GAP };
  const taken = Math.max(0, isLeft ? left : right);
  return { ...across, ...along, maxWidth: Math.min(HINT_WIDTH, wide - taken) };
}

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

/** The nearest card in a direction; the same one where there is none. */
export function neighbourOf({ x, y }: CardPlaces, from: number, arrow: Arrow): number {
  const [along, across, sign] =
    DIRECTIONS[arrow] === "x" ? [x, y, SIGNS[arrow]] : [y, x, SIGNS[arrow]];
  const costOf = (at: number) => {
    const ahead = sign * ((along[at] as number) - (along[from] as number));
    const aside = Math.abs((across[at] as number) - (across[from] as number));
    return ahead > 0 ? ahead + 4 * aside : Number.POSITIVE_INFINITY;
  };
  let [best, least] = [from, Number.POSITIVE_INFINITY];
  for (let at = 0; at < x.length; at += 1) {
    const cost = costOf(at);
    if (cost < least) [best, least] = [at, cost];
  }
  return best;
}

const DIRECTIONS = { ArrowLeft: "x", ArrowRight: "x", ArrowUp: "y", ArrowDown: "y" } as const;
const SIGNS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 } as const;

/** The view moved as little as needed so that a card is seen. */
export function viewWith(
  places: CardPlaces,
  view: MapView,
  at: number,
  wide: number,
  high: number,
): MapView {
  const margin = 12 / view.zoom;
  const within = (start: number, size: number, shown: number, begin: number) =>
    Math.min(start - margin, Math.max(begin, start + size + margin - shown / view.zoom));
  return {
    ...view,
    x: within(places.x[at] ?? 0, CARD_WIDTH, wide, view.x),
    y: within(places.y[at] ?? 0, CARD_HEIGHT, high, view.y),
  };
}
