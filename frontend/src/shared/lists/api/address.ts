/** The address as the memory of a list: its filters and its order. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useMe } from "@/shared/session/me";
import { type KeptList, readKept, writeKept } from "../model/kept";
import { formatSort, parseSort, type Sort } from "../model/table";
import { hasOwnWords } from "../model/views";

type Search = Record<string, unknown>;

/** What the address says after `?`, and the ways to change it; each is a step that Back undoes. */
export function useAddress() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const go = (next: (old: Search) => Search, replace = false) =>
    void navigate({ to: ".", search: next, resetScroll: false, replace } as never);
  return {
    search,
    /** Where it leaves no filters, it also leaves the view that they were of. */
    change: (patch: Search) =>
      go((old) => {
        const next = { ...old, ...patch };
        return hasOwnWords(next) ? next : { ...next, view: undefined };
      }),
    /** All of it; what is kept on the way to other pages is removed, too, unless it is named. */
    replace: (next: Search) => go(() => ({ group: undefined, ...next })),
    /** More words, in the place of the step that led here. */
    arrive: (patch: Search) => go((old) => ({ ...old, ...patch }), true),
  };
}

export type SortState = [Sort | null, (sort: Sort | null) => void];

/** The order of a table; `name` is its word in the address. */
export function useListSort(name: string): SortState {
  const { search, change } = useAddress();
  return [parseSort(search[name]), (sort) => change({ [name]: formatSort(sort) })];
}

/** The order of a table that is not what its page is about: forgotten with the table. */
export function useOwnSort(): SortState {
  return useState<Sort | null>(null);
}

/** What this browser keeps of a list for its reader. */
export function useKeptList(list: string): [KeptList, (patch: Partial<KeptList>) => void] {
  const { id } = useMe();
  const [kept, setKept] = useState(() => readKept(localStorage, id, list));
  const keep = (patch: Partial<KeptList>) => {
    const next = { ...kept, ...patch };
    setKept(next);
    writeKept(localStorage, id, list, next);
  };
  return [kept, keep];
}
