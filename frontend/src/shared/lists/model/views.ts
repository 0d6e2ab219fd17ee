/** What views say about an address. Pure. */
import type { SavedView } from "@/shared/api/types";

export type ListName = SavedView["list"];
type AddressWords = Record<string, unknown>;

export const VIEWS_MAX = 20;
export const VIEW_NAME_MAX = 40;
/** The word of the group that is chosen for all pages. */
const GROUP = "group";

/** The filters and the order of an address: what a view keeps of it. */
export function wordsOf({ view: _, ...search }: AddressWords): AddressWords {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

/** Whether an address has filters or an order of its own. */
export function hasOwnWords(search: AddressWords): boolean {
  const { [GROUP]: _, ...own } = wordsOf(search);
  return Object.keys(own).length > 0;
}

/** Which view's filters an address without its own takes: the one it names, or the one to open with. */
export function arrivingView(
  views: readonly SavedView[],
  search: AddressWords,
): SavedView | undefined {
  if (hasOwnWords(search)) return undefined;
  return views.find(({ id, is_opening }) => (search.view ? id === search.view : is_opening));
}

/** Whether an address says what a view says. */
export function isAsIn(view: SavedView, search: AddressWords): boolean {
  const words = (each: AddressWords) => JSON.stringify(Object.entries(wordsOf(each)).toSorted());
  return words(view.search) === words(search);
}
