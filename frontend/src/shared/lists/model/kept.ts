/** What a browser keeps of a list for one person: its columns, its density, saved views. */

export interface SavedView {
  name: string;
  /** The address's part after `?`: filters and order. */
  search: Record<string, unknown>;
  hidden: string[];
}

export interface KeptList {
  /** Keys of columns that are not shown. */
  hidden: string[];
  isDense: boolean;
  views: SavedView[];
}

export const VIEWS_MAX = 20;
export const VIEW_NAME_MAX = 40;
const NOTHING: KeptList = { hidden: [], isDense: false, views: [] };

type Store = Pick<Storage, "getItem" | "setItem">;

export function readKept(store: Store, person: string, list: string): KeptList {
  try {
    return keptOf(JSON.parse(store.getItem(keyOf(person, list)) ?? "{}"));
  } catch {
    return NOTHING;
  }
}

/** Where nothing can be kept, the page goes on without. */
export function writeKept(store: Store, person: string, list: string, kept: KeptList): void {
  try {
    store.setItem(keyOf(person, list), JSON.stringify(kept));
  } catch {
    // The browser is full, or forbids it.
  }
}

/** The views with this one, which takes the place of one of the same name. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  const others = views.filter(({ name }) => name !== view.name);
  return [...others, view].slice(-VIEWS_MAX);
}

function keyOf(person: string, list: string): string {
  return `berth-list:${person}:${list}`;
}

function keptOf(stored: Partial<KeptList>): KeptList {
  const { hidden, isDense, views } = stored;
  return {
    hidden: textsIn(hidden),
    isDense: isDense === true,
    views: Array.isArray(views)
      ? views
          .filter((view) => typeof view?.name === "string" && typeof view.search === "object")
          .map(({ name, search, hidden: own }) => ({ name, search, hidden: textsIn(own) }))
      : [],
  };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
