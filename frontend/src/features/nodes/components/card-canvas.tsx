import { Button } from "antd";
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from "react";
import type { CardMap } from "@/shared/api/types";
import { useCardValues } from "@/shared/cluster/api/nodes";
import type { MapCard } from "@/shared/cluster/model/board";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useIsDark } from "@/shared/theme/preference";
import { LOOK } from "@/shared/theme/tokens";
import {
  isMeasure,
  type MapColouring,
  type Painting,
  type PaintRuns,
  type PaintTheme,
  paintMap,
  paintParts,
  paintValues,
} from "../model/card-paint";
import {
  type Arrow,
  type CardPlaces,
  cardAt,
  fitHeight,
  fitView,
  type HintPlace,
  hintPlace,
  type MapView,
  neighbourOf,
  placeCards,
  viewWith,
  zoomView,
} from "../model/card-places";
import { measuresOf } from "../model/cards";
import styles from "./card-map.module.css";
import { useCardWords } from "./card-words";

const HEIGHT = 620;
const ZOOM_STEP = 1.4;
/** A press that moves the map by less is a click. */
const CLICK_PX = 4;

interface CardCanvasProps {
  map: CardMap;
  cards: readonly MapCard[];
  colouring: MapColouring;
  onOpen: (card: MapCard) => void;
}

/** Thousands of cards on one canvas: dragged, zoomed, walked by the arrow keys. */
export function CardCanvas({ map, cards, colouring, onOpen }: CardCanvasProps) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(frame);
  const places = useMemo(() => placeCards(cards, Math.max(width, 1) / HEIGHT), [cards, width]);
  const height = Math.min(HEIGHT, Math.max(160, fitHeight(places)));
  const [view, setView] = useState<MapView | null>(null);
  const seen = view ?? fitView(places, width, height);
  const [hovered, setHovered] = useState(-1);
  const [focus, setFocus] = useState(-1);
  const [isFocused, setFocused] = useState(false);
  const words = useCardWords();
  const values = useCardValues().data;
  const theme = usePaintTheme(canvas);
  // States and groups stay as they are when nodes have measured anew.
  const coloured = isMeasure(colouring.colour) ? values : undefined;
  const runs = useMemo(
    () => theme && runsOf(places, theme, colouring, (at) => measuresOf(coloured, map.order, at)),
    [places, theme, colouring, coloured, map.order],
  );
  const poolTitle = (id: string) => {
    const pool = map.pools.find((one) => one.id === id);
    return pool ? titleOf(pool, language) : "";
  };
  usePainting(
    canvas,
    runs && theme && width > 0
      ? {
          places,
          runs,
          theme,
          view: seen,
          width,
          height,
          focus: isFocused ? focus : -1,
          poolTitle,
        }
      : null,
  );
  const drag = useDrag(seen, setView, (x, y) => {
    const card = places.cards[cardAt(places, seen, x, y)];
    if (card) onOpen(card);
  });
  useWheelZoom(frame, (factor, x, y) => setView(zoomView(seen, factor, x, y)));
  const zoomBy = (factor: number) => setView(zoomView(seen, factor, width / 2, height / 2));
  const walk = (to: number) => {
    setFocus(to);
    setView(viewWith(places, seen, to, width, height));
  };
  const press = (event: KeyboardEvent) => {
    const act = keyActs({ places, focus, walk, zoomBy, fit: () => setView(null), onOpen })[
      event.key
    ];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const near = places.cards[hovered];
  const chosen = isFocused ? places.cards[focus] : undefined;
  return (
    <div className={styles.map}>
      <div className={styles.tools}>
        <Button size="small" onClick={() => zoomBy(ZOOM_STEP)} aria-label={t("map.zoomIn")}>
          +
        </Button>
        <Button size="small" onClick={() => zoomBy(1 / ZOOM_STEP)} aria-label={t("map.zoomOut")}>
          −
        </Button>
        <Button size="small" onClick={() => setView(null)}>
          {t("map.fit")}
        </Button>
      </div>
      <div
        ref={frame}
        className={styles.frame}
        style={{ height }}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the canvas is walked by its keys
        tabIndex={0}
        aria-label={t("map.label", { count: places.cards.length })}
        aria-describedby="card-map-keys"
        data-testid="card-map"
        onKeyDown={press}
        onFocus={() => {
          setFocused(true);
          if (focus < 0) setFocus(0);
        }}
        onBlur={() => setFocused(false)}
        {...drag}
        onPointerMove={(event) => {
          drag.onPointerMove(event);
          const { offsetX, offsetY } = event.nativeEvent;
          setHovered(cardAt(places, seen, offsetX, offsetY));
        }}
        onPointerLeave={() => setHovered(-1)}
      >
        <canvas ref={canvas} style={{ width: "100%", height }} />
        {near && (
          <Hint
            lines={[
              ...words.lines(near),
              words.measures(measuresOf(values, map.order, near.at), near),
            ]}
            place={hintPlace(places, seen, hovered, width, height)}
          />
        )}
      </div>
      <p id="card-map-keys" className="second">
        {t("map.keys")}
      </p>
      <p className="visually-hidden" role="status">
        {chosen && words.lines(chosen).join(". ")}
      </p>
    </div>
  );
}

interface HintProps {
  lines: readonly string[];
  place: HintPlace;
}

/** What the card under the pointer is, beside it. */
function Hint({ lines, place }: HintProps) {
  const [first, ...rest] = lines;
  return (
    <div className={styles.hint} style={place}>
      <strong>{first}</strong>
      {rest.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </div>
  );
}

interface Keys {
  places: CardPlaces;
  focus: number;
  walk: (to: number) => void;
  zoomBy: (factor: number) => void;
  fit: () => void;
  onOpen: (card: MapCard) => void;
}

function keyActs({ places, focus, walk, zoomBy, fit, onOpen }: Keys): Record<string, () => void> {
  const go = (arrow: Arrow) => () => walk(neighbourOf(places, Math.max(focus, 0), arrow));
  const open = () => {
    const card = places.cards[focus];
    if (card) onOpen(card);
  };
  return {
    ArrowLeft: go("ArrowLeft"),
    ArrowRight: go("ArrowRight"),
    ArrowUp: go("ArrowUp"),
    ArrowDown: go("ArrowDown"),
    Home: () => walk(0),
    End: () => walk(places.cards.length - 1),
    Enter: open,
    " ": open,
    "+": () => zoomBy(ZOOM_STEP),
    "=": () => zoomBy(ZOOM_STEP),
    "-": () => zoomBy(1 / ZOOM_STEP),
    "0": fit,
  };
}

function runsOf(
  places: CardPlaces,
  theme: PaintTheme,
  { colour, range, hueOf }: MapColouring,
  measures: (at: number) => ReturnType<typeof measuresOf>,
): PaintRuns {
  if (isMeasure(colour)) {
    const read = (card: MapCard) => {
      const value = measures(card.at)[colour];
      return value !== null && colour === "memory" ? (100 * value) / card.memory_mib : value;
    };
    return paintValues(places, read, range);
  }
  if (colour === "team") {
    return paintParts(places, theme, ({ holder }) => {
      const hue = holder.group && hueOf.get(holder.group.id);
      return (typeof hue === "number" && theme.hues[hue]) || theme.taken;
    });
  }
  return paintParts(places, theme, ({ holder }) => {
    if (holder.idle_since) return theme.idle;
    return holder.mine ? theme.mine : theme.taken;
  });
}

/** Draws once for each picture of the screen, however much has changed. */
function usePainting(canvas: RefObject<HTMLCanvasElement | null>, painting: Painting | null): void {
  const latest = useRef(painting);
  const waiting = useRef(0);
  useEffect(() => {
    latest.current = painting;
    const draw = () => {
      waiting.current = 0;
      const ctx = canvas.current?.getContext("2d");
      if (ctx && latest.current) paintSharp(ctx, latest.current);
    };
    waiting.current ||= requestAnimationFrame(draw);
  });
  useEffect(() => () => cancelAnimationFrame(waiting.current), []);
}

/** As sharp as the screen. */
function paintSharp(ctx: CanvasRenderingContext2D, painting: Painting): void {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(painting.width * ratio), Math.round(painting.height * ratio)];
  if (ctx.canvas.width !== wide || ctx.canvas.height !== high) {
    ctx.canvas.width = wide;
    ctx.canvas.height = high;
  }
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  paintMap(ctx, painting);
}

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const watched = element.current;
    if (!watched) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** The theme's colours as the style sheet has them; read again when the theme changes. */
function usePaintTheme(canvas: RefObject<HTMLCanvasElement | null>): PaintTheme | null {
  const isDark = useIsDark();
  const [theme, setTheme] = useState<PaintTheme | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sheet depends on the theme
  useEffect(() => {
    if (!canvas.current) return;
    const root = getComputedStyle(document.documentElement);
    const own = getComputedStyle(canvas.current.closest(`.${LOOK}`) ?? canvas.current);
    const read = (name: string) => root.getPropertyValue(name).trim();
    setTheme({
      free: read("--berth-free"),
      edge: read("--berth-edge"),
      taken: read("--berth-taken"),
      mine: read("--berth-mine"),
      idle: read("--state-starting"),
      broken: read("--berth-broken"),
      out: read("--berth-edge"),
      hues: Array.from({ length: 8 }, (_, hue) =>
        read(hue === 0 ? "--berth-mine" : `--hue-${hue}`),
      ),
      text: own.getPropertyValue("--ant-color-text").trim() || own.color,
      ground: own.getPropertyValue("--ant-color-bg-container").trim() || "#fff",
      font: own.fontFamily || "sans-serif",
    });
  }, [canvas, isDark]);
  return theme;
}

/** Moves the map with the pointer; a press that does not move is a click. */
function useDrag(
  view: MapView,
  setView: (view: MapView) => void,
  onClick: (x: number, y: number) => void,
) {
  const start = useRef<{ x: number; y: number; view: MapView; moved: boolean } | null>(null);
  return {
    onPointerDown: ({ clientX, clientY, button }: PointerEvent) => {
      if (button === 0) start.current = { x: clientX, y: clientY, view, moved: false };
    },
    onPointerMove: ({ clientX, clientY, buttons }: PointerEvent) => {
      const from = start.current;
      if (!from || buttons === 0) return;
      const [dx, dy] = [clientX - from.x, clientY - from.y];
      from.moved ||= Math.abs(dx) + Math.abs(dy) > CLICK_PX;
      if (!from.moved) return;
      const { x, y, zoom } = from.view;
      setView({ x: x - dx / zoom, y: y - dy / zoom, zoom });
    },
    onPointerUp: (event: PointerEvent) => {
      const wasClick = start.current && !start.current.moved;
      start.current = null;
      if (wasClick) onClick(event.nativeEvent.offsetX, event.nativeEvent.offsetY);
    },
  };
}

/** The wheel zooms while the map has the focus, or with Ctrl; else it scrolls the page. */
function useWheelZoom(
  frame: RefObject<HTMLElement | null>,
  zoom: (factor: number, x: number, y: number) => void,
): void {
  const act = useEffectEvent(zoom);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && document.activeElement !== element) return;
      event.preventDefault();
      act(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    };
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [frame]);
}
