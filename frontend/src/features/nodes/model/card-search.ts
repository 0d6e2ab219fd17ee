/** What the address of the map of cards remembers. Pure. */
export const CARD_STATES = ["free", "held", "idle", "out", "faulty", "lost"] as const;
export type CardState = (typeof CARD_STATES)[number];
export const CARD_COLOURS = ["state", "team", "use", "memory", "temperature", "power"] as const;
export type CardColour = (typeof CARD_COLOURS)[number];
export const IDLE_MINUTES = [10, 60, 360, 1440] as const;

/** Absent means any, the map, and the colours of states. */
export interface CardSearch {
  /** Name of a pool. */
  pool?: string;
  model?: string;
  state?: CardState;
  /** Id of the person, and of the group, whose work holds the card. */
  owner?: string;
  team?: string;
  /** Held by work that has been idle for so many minutes. */
  idle?: number;
  colour?: CardColour;
  view?: "map" | "table";
  /** Id of the card whose details are open. */
  card?: string;
}

const ID = /^[0-9a-f-]{36}$/;
const TEXT_MAX = 100;
const VIEWS = ["map", "table"] as const;

export function readCardSearch(search: Record<string, unknown>): CardSearch {
  const { pool, model, state, owner, team, idle, colour, view, card } = search;
  return given({
    pool: textOf(pool),
    model: textOf(model),
    state: wordOf(CARD_STATES, state),
    owner: idOf(owner),
    team: idOf(team),
    idle: typeof idle === "number" && idle > 0 ? Math.min(Math.round(idle), 100_000) : undefined,
    colour: wordOf(CARD_COLOURS, colour),
    view: wordOf(VIEWS, view),
    card: idOf(card),
  });
}

/** Without what is not set: it would stand in the address. */
function given(search: { [Name in keyof CardSearch]: CardSearch[Name] | undefined }): CardSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined),
  ) as CardSearch;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, TEXT_MAX) : undefined;
}

function idOf(value: unknown): string | undefined {
  return typeof value === "string" && ID.test(value) ? value : undefined;
}

function wordOf<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value);
}
