/**
 * Drawing of the map. Cards are runs of one colour along their bars; runs are drawn colour by colour,
 * because to change the colour of a canvas costs more than to fill a rectangle. Pure but for the canvas.
 */
import type { MapCard, MapPart } from "@/shared/cluster/model/board";
import { SCALE, unheldUse } from "@/shared/cluster/model/cells";
import type { CardPlaces, MapView } from "./card-places";
import { CARD_HEIGHT, CARD_WIDTH, TITLE_MAX, titleLine } from "./card-places";
import type { CardColour } from "./card-search";

/** Colours of the theme, read from the style sheet. */
export interface PaintTheme {
  free: string;
  edge: string;
  taken: string;
  mine: string;
  idle: string;
  broken: string;
  out: string;
  text: string;
  ground: string;
  hues: readonly string[];
  font: string;
}

/** Runs in no order: card, from and to along its bar (0 to 1), and the place of its colour. */
export interface PaintRuns {
  count: number;
  card: Int32Array;
  from: Float32Array;
  to: Float32Array;
  colour: Uint8Array;
  palette: readonly string[];
}

export const UNMEASURED = 255;

/** What a colour of measures shows, from where to where. */
export const CARD_MEASURES = ["use", "memory", "temperature", "power"] as const;
export type CardMeasure = (typeof CARD_MEASURES)[number];

export function isMeasure(colour: CardColour): colour is CardMeasure {
  return (CARD_MEASURES as readonly string[]).includes(colour);
}

/** A run for each part of each card, and for what is broken or out of service. */
export function paintParts(
  places: CardPlaces,
  theme: PaintTheme,
  colourOf: (part: MapPart) => string,
): PaintRuns {
  const palette = [theme.broken, theme.out, theme.taken, theme.mine, theme.idle, ...theme.hues];
  const at = new Map(palette.map((colour, place) => [colour, place]));
  const runs: [number, number, number, number][] = [];
  places.cards.forEach((card, place) => {
    const unheld = unheldUse(card.state, card.node.state);
    if (unheld === "faulty") runs.push([place, 0, 1, 0]);
    else if (unheld !== "free" && unheld !== "lost") runs.push([place, 0, 1, 1]);
    if (unheld === "lost") return;
    for (const [from, to, colour] of merged(card, colourOf)) {
      runs.push([place, from, to, at.get(colour) ?? 2]);
    }
  });
  return {
    count: runs.length,
    card: Int32Array.from(runs, ([card]) => card),
    from: Float32Array.from(runs, ([, from]) => from),
    to: Float32Array.from(runs, ([, , to]) => to),
    colour: Uint8Array.from(runs, ([, , , colour]) => colour),
    palette,
  };
}

/** Neighbouring parts of one colour are one run. */
function merged(
  { parts, slices }: MapCard,
  colourOf: (part: MapPart) => string,
): [number, number, string][] {
  const runs: [number, number, string][] = [];
  let end = 0;
  for (const part of parts) {
    const [from, to] = spanOfPart(part, slices, end);
    const last = runs.at(-1);
    end = to;
    if (last && last[2] === colourOf(part) && Math.abs(last[1] - from) < 0.001) last[1] = to;
    else runs.push([from, to, colourOf(part)]);
  }
  return runs;
}

/** Where a part is on its card; fractions have no place, they stand one after the other. */
function spanOfPart({ slot, gpu_milli }: MapPart, slices: number, end: number): [number, number] {
  if (slices > 1) return [slot / slices, (slot + 1) / slices];
  return [end, Math.min(1, end + gpu_milli / 1000)];
}

/** One run for each card, coloured by a value between `least` and `most`; null is not drawn. */
export function paintValues(
  places: CardPlaces,
  read: (card: MapCard) => number | null,
  [least, most]: readonly [number, number],
): PaintRuns {
  const count = places.cards.length;
  const colour = new Uint8Array(count);
  const steps = SCALE.length - 1;
  for (let at = 0; at < count; at += 1) {
    const value = read(places.cards[at] as MapCard);
    const part = ((value ?? 0) - least) / Math.max(most - least, 1e-9);
    const step = Math.round(Math.min(1, Math.max(0, part)) * steps);
    colour[at] = value === null ? UNMEASURED : step;
  }
  return {
    count,
    card: Int32Array.from({ length: count }, (_, at) => at),
    from: new Float32Array(count),
    to: new Float32Array(count).fill(1),
    colour,
    palette: SCALE,
  };
}

export interface Painting {
  places: CardPlaces;
  runs: PaintRuns;
  view: MapView;
  theme: PaintTheme;
  /** Pixels of the canvas as the page counts them. */
  width: number;
  height: number;
  /** Place of the card with the focus of the keyboard; -1 is none. */
  focus: number;
  poolTitle: (id: string) => string;
}

const OUTLINE_ZOOM = 0.45;
const LABEL_ZOOM = 0.95;
const DETAIL_ZOOM = 1.1;

/** Draw what is seen. */
export function paintMap(ctx: CanvasRenderingContext2D, painting: Painting): void {
  const { view, width, height } = painting;
  ctx.clearRect(0, 0, width, height);
  paintBars(ctx, painting);
  if (view.zoom >= DETAIL_ZOOM) paintDetails(ctx, painting);
  paintTitles(ctx, painting);
  if (view.zoom >= OUTLINE_ZOOM) paintNodes(ctx, painting);
  paintFocus(ctx, painting);
}

/** Whether a box of pixels is in sight. */
function isInSight({ width, height }: Painting, x: number, y: number, wide: number, high: number) {
  return x <= width && y <= height && x + wide >= 0 && y + high >= 0;
}

/** Every card as free that no run covers whole, and over it its runs. */
function paintBars(ctx: CanvasRenderingContext2D, painting: Painting): void {
  const { places, view, theme } = painting;
  const { zoom } = view;
  const [wide, high] = [CARD_WIDTH * zoom, Math.max(1, Math.round(CARD_HEIGHT * zoom))];
  const left = new Int32Array(places.x.length).fill(HIDDEN);
  const top = new Int32Array(places.x.length);
  const covered = coveredCards(painting.runs, places.x.length);
  ctx.fillStyle = theme.free;
  for (let at = 0; at < left.length; at += 1) {
    const x = Math.round(((places.x[at] as number) - view.x) * zoom);
    const y = Math.round(((places.y[at] as number) - view.y) * zoom);
    if (!isInSight(painting, x, y, wide, high)) continue;
    [left[at], top[at]] = [x, y];
    if (!covered[at]) ctx.fillRect(x, y, Math.max(1, Math.round(wide)), high);
  }
  paintRuns(ctx, painting.runs, { left, top, wide, high });
}

/** Whether a run covers the whole of each card: a rectangle less for most of them. */
function coveredCards({ count, card, from, to, colour }: PaintRuns, cards: number): Uint8Array {
  const covered = new Uint8Array(cards);
  for (let run = 0; run < count; run += 1) {
    if (from[run] === 0 && to[run] === 1 && colour[run] !== UNMEASURED)
      covered[card[run] as number] = 1;
  }
  return covered;
}

const HIDDEN = -(2 ** 31);

interface Bars {
  left: Int32Array;
  top: Int32Array;
  wide: number;
  high: number;
}

function paintRuns(ctx: CanvasRenderingContext2D, runs: PaintRuns, bars: Bars): void {
  const { left, top, wide, high } = bars;
  let colour = -1;
  for (const run of byColour(runs)) {
    const [card, own] = [runs.card[run] as number, runs.colour[run] as number];
    if (left[card] === HIDDEN || own === UNMEASURED) continue;
    if (own !== colour) ctx.fillStyle = runs.palette[own] as string;
    colour = own;
    const from = Math.round((runs.from[run] as number) * wide);
    const to = Math.round((runs.to[run] as number) * wide);
    ctx.fillRect((left[card] as number) + from, top[card] as number, Math.max(1, to - from), high);
  }
}

/** The runs, colour by colour: a counting sort. */
function byColour({ count, colour }: PaintRuns): Int32Array {
  const begins = new Int32Array(257);
  for (let at = 0; at < count; at += 1) (begins[(colour[at] as number) + 1] as number)++;
  for (let at = 1; at < 257; at += 1)
    begins[at] = (begins[at] as number) + (begins[at - 1] as number);
  const order = new Int32Array(count);
  for (let at = 0; at < count; at += 1) {
    const place = begins[colour[at] as number] as number;
    order[place] = at;
    begins[colour[at] as number] = place + 1;
  }
  return order;
}

/** What is seen only from near: slices, loans as hatches, faults as crosses. */
function paintDetails(ctx: CanvasRenderingContext2D, painting: Painting): void {
  const { places, view } = painting;
  const { zoom } = view;
  const [wide, high] = [CARD_WIDTH * zoom, CARD_HEIGHT * zoom];
  ctx.lineWidth = 1;
  places.cards.forEach((card, at) => {
    const x = ((places.x[at] as number) - view.x) * zoom;
    const y = ((places.y[at] as number) - view.y) * zoom;
    if (isInSight(painting, x, y, wide, high))
      paintCard(ctx, card, painting.theme, [x, y, wide, high]);
  });
}

type Box = readonly [number, number, number, number];

function paintCard(
  ctx: CanvasRenderingContext2D,
  card: MapCard,
  theme: PaintTheme,
  box: Box,
): void {
  const unheld = unheldUse(card.state, card.node.state);
  outline(ctx, unheld === "lost" ? theme.broken : theme.edge, box);
  paintSlices(ctx, card, theme, box);
  for (const part of card.parts) {
    if (part.isLent) hatch(ctx, theme.ground, box, partSpan(card, part));
  }
  if (unheld === "lost") cross(ctx, theme.broken, box);
  else if (unheld === "faulty") hatch(ctx, theme.ground, box);
  else if (unheld === "draining" && card.parts.length === 0) arrow(ctx, theme.taken, box);
}

function outline(ctx: CanvasRenderingContext2D, colour: string, [x, y, wide, high]: Box): void {
  ctx.strokeStyle = colour;
  const [left, top] = [Math.round(x) + 0.5, Math.round(y) + 0.5];
  ctx.strokeRect(left, top, Math.round(wide) - 1, Math.round(high) - 1);
}

function paintSlices(
  ctx: CanvasRenderingContext2D,
  { slices, parts }: MapCard,
  { ground }: PaintTheme,
  [x, y, wide, high]: Box,
): void {
  ctx.fillStyle = ground;
  const cut = (part: number) =>
    ctx.fillRect(Math.round(x + part * wide), Math.round(y), 1, Math.round(high));
  for (let slot = 1; slot < slices; slot += 1) cut(slot / slices);
  let end = 0;
  for (const { gpu_milli } of slices > 1 ? [] : parts.slice(0, -1)) {
    end += gpu_milli / 1000;
    cut(end);
  }
}

function partSpan({ slices }: MapCard, { slot }: MapPart): readonly [number, number] {
  return slices > 1 ? [slot / slices, (slot + 1) / slices] : [0, 1];
}

function hatch(
  ctx: CanvasRenderingContext2D,
  colour: string,
  [x, y, wide, high]: Box,
  [from, to]: readonly [number, number] = [0, 1],
): void {
  ctx.strokeStyle = colour;
  ctx.beginPath();
  for (let at = x + from * wide + 3; at < x + to * wide; at += 5) {
    ctx.moveTo(at, y + high);
    ctx.lineTo(Math.min(at + high, x + to * wide), Math.max(y, y + high - (x + to * wide - at)));
  }
  ctx.stroke();
}

/** On a draining node. */
function arrow(ctx: CanvasRenderingContext2D, colour: string, [x, y, wide, high]: Box): void {
  const [centre, middle, size] = [x + wide / 2, y + high / 2, high / 4];
  ctx.strokeStyle = colour;
  ctx.beginPath();
  ctx.moveTo(centre - size / 2, middle - size);
  ctx.lineTo(centre + size / 2, middle);
  ctx.lineTo(centre - size / 2, middle + size);
  ctx.stroke();
}

function cross(ctx: CanvasRenderingContext2D, colour: string, [x, y, wide, high]: Box): void {
  ctx.strokeStyle = colour;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + wide, y + high);
  ctx.moveTo(x, y + high);
  ctx.lineTo(x + wide, y);
  ctx.stroke();
}

function paintTitles(ctx: CanvasRenderingContext2D, painting: Painting): void {
  const { places, view, theme, height, poolTitle } = painting;
  ctx.fillStyle = theme.text;
  ctx.textBaseline = "bottom";
  ctx.font = `600 ${Math.min(TITLE_MAX, Math.max(9, 30 * view.zoom))}px ${theme.font}`;
  for (const pool of places.pools) {
    const at = (titleLine(pool) - view.y) * view.zoom;
    const left = Math.max(4, -view.x * view.zoom);
    if (at > -20 && at < height + 20) ctx.fillText(poolTitle(pool.id), left, at);
  }
}

/** Boxes of nodes, with their names where these can be read. */
function paintNodes(ctx: CanvasRenderingContext2D, painting: Painting): void {
  const { places, view, theme } = painting;
  const { zoom } = view;
  ctx.lineWidth = 1;
  ctx.font = `${Math.min(13, Math.max(9, 8.5 * zoom))}px ${theme.font}`;
  for (const node of places.nodes) {
    const [x, y] = [(node.x - view.x) * zoom, (node.y - view.y) * zoom];
    const [wide, high] = [node.width * zoom, node.height * zoom];
    if (!isInSight(painting, x, y, wide, high)) continue;
    outline(ctx, theme.edge, [x, y, wide, high]);
    if (zoom >= LABEL_ZOOM) ctx.fillText(node.name, x + 4 * zoom, y + 13 * zoom, wide - 8 * zoom);
  }
}

function paintFocus(ctx: CanvasRenderingContext2D, painting: Painting): void {
  const { places, view, theme, focus } = painting;
  if (focus < 0 || focus >= places.x.length) return;
  ctx.strokeStyle = theme.text;
  ctx.lineWidth = 2;
  const x = ((places.x[focus] as number) - view.x) * view.zoom;
  const y = ((places.y[focus] as number) - view.y) * view.zoom;
  ctx.strokeRect(x - 2, y - 2, CARD_WIDTH * view.zoom + 4, CARD_HEIGHT * view.zoom + 4);
}

/** What the colours say: of measures the range, of groups the hue of each. */
export interface MapColouring {
  colour: CardColour;
  range: readonly [number, number];
  hueOf: ReadonlyMap<string, number>;
}

const HUES = 8;

/** What a colour needs to know of all cards: the largest groups get hues, power its largest value. */
export function colouringOf(
  colour: CardColour,
  cards: readonly MapCard[],
  power: readonly (number | null)[],
): MapColouring {
  const largest = colour === "team" ? largestTeams(cards) : [];
  const hueOf = new Map(largest.slice(0, HUES).map((id, hue) => [id, hue]));
  return { colour, range: rangeOf(colour, power), hueOf };
}

/** Ids of groups, that which holds most first. */
function largestTeams(cards: readonly MapCard[]): string[] {
  const held = new Map<string, number>();
  for (const { holder, gpu_milli } of cards.flatMap(({ parts }) => parts)) {
    const id = holder.group?.id;
    if (id) held.set(id, (held.get(id) ?? 0) + gpu_milli);
  }
  const order = [...held].sort(([a, some], [b, more]) => more - some || a.localeCompare(b));
  return order.map(([id]) => id);
}

/** From cool to hot, from none to all; power goes up to the next hundred watts. */
function rangeOf(colour: CardColour, power: readonly (number | null)[]): readonly [number, number] {
  if (colour === "temperature") return [30, 95];
  if (colour !== "power") return [0, 100];
  let most = 0;
  for (const value of power) most = Math.max(most, value ?? 0);
  return [0, Math.max(100, Math.ceil(most / 100) * 100)];
}
