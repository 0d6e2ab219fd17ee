/** What a browser keeps of a list for one person: its columns, its density. */

export interface KeptList {
  /** Keys of columns that are not shown. */
  hidden: string[];
  isDense: boolean;
}

const NOTHING: KeptList = { hidden: [], isDense: false };

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

function keyOf(person: string, list: string): string {
  return `berth-list:${person}:${list}`;
}

function keptOf({ hidden, isDense }: Partial<KeptList>): KeptList {
  return { hidden: textsIn(hidden), isDense: isDense === true };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
