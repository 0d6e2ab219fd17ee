/** What a browser keeps of a list for one person: its columns, its density. */

export interface KeptList {
  /** Keys of columns that are not shown. */
  hidden: string[];
  /** Keys of columns that are shown only where they are chosen. */
  shown: string[];
  isDense: boolean;
}

const NOTHING: KeptList = { hidden: [], shown: [], isDense: false };

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

/** Whether a column is shown; `isExtra`: only where it was chosen. */
export function isShown(column: { key: string; isExtra?: boolean }, kept: KeptList): boolean {
  return column.isExtra ? kept.shown.includes(column.key) : !kept.hidden.includes(column.key);
}

/** What is kept once a column is shown, or no longer. */
export function withColumn(
  { key, isExtra }: { key: string; isExtra?: boolean },
  isOn: boolean,
  kept: KeptList,
): Partial<KeptList> {
  const name = isExtra ? "shown" : "hidden";
  const others = kept[name].filter((each) => each !== key);
  return { [name]: isOn === Boolean(isExtra) ? [...others, key] : others };
}

function keptOf({ hidden, shown, isDense }: Partial<KeptList>): KeptList {
  return { hidden: textsIn(hidden), shown: textsIn(shown), isDense: isDense === true };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
