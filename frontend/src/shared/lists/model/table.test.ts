import { describe, expect, it } from "vitest";
import type { SavedView } from "@/shared/api/types";
import { readKept, writeKept } from "./kept";
import { formatSort, nextSort, parseSort, runEach, sortRows, toCsv } from "./table";
import { arrivingView, hasOwnWords, isAsIn } from "./views";

describe("the order of a list", () => {
  it("is a word of the address", () => {
    expect(parseSort("-name")).toEqual({ key: "name", isDescending: true });
    expect(formatSort({ key: "name", isDescending: true })).toBe("-name");
    expect(parseSort("name; drop")).toBeNull();
    expect(parseSort(7)).toBeNull();
    expect(formatSort(null)).toBeUndefined();
  });

  it("goes upwards, downwards and back to how the list comes", () => {
    const up = nextSort(null, "name");
    const down = nextSort(up, "name");
    expect([up, down, nextSort(down, "name")]).toEqual([
      { key: "name", isDescending: false },
      { key: "name", isDescending: true },
      null,
    ]);
    expect(nextSort(down, "state")).toEqual({ key: "state", isDescending: false });
  });

  it("compares numbers in names as numbers, and keeps what has no value at the end", () => {
    const rows = ["node10", null, "Node2", "node1"];
    const sorted = (isDescending: boolean) => sortRows(rows, (row) => row, isDescending, "en");
    expect(sorted(false)).toEqual(["node1", "Node2", "node10", null]);
    expect(sorted(true)).toEqual(["node10", "Node2", "node1", null]);
    expect(sortRows([10, 9, 100], (row) => row, false, "en")).toEqual([9, 10, 100]);
  });
});

it("writes texts that no spreadsheet takes for a formula", () => {
  const text = toCsv(
    ["Name", "GPUs"],
    [
      ["=1+1", -2],
      ['a "b", c', null],
      ["@x\ny", true],
    ],
  );
  expect(text).toBe('\ufeffName,GPUs\r\n\'=1+1,-2\r\n"a ""b"", c",\r\n"\'@x\ny",true\r\n');
});

it("runs a few at a time, and one refusal stops none of the others", async () => {
  let running = 0;
  let most = 0;
  const ended: [number, unknown][] = [];
  const run = async (item: number) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    if (item === 3) throw new Error("refused");
  };
  await runEach([1, 2, 3, 4, 5], run, 2, (item, error) => ended.push([item, error]));
  expect(most).toBe(2);
  expect(ended.map(([item]) => item).toSorted()).toEqual([1, 2, 3, 4, 5]);
  expect(ended.filter(([, error]) => error !== null)).toEqual([[3, new Error("refused")]]);
});

/** As a browser has it. */
function aStore() {
  const texts = new Map<string, string>();
  return {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
  };
}

describe("what a browser keeps of a list", () => {
  it("is of one person and one list, and survives what is not ours", () => {
    const store = aStore();
    const kept = { hidden: ["owner"], shown: ["cost"], isDense: true };
    writeKept(store, "me", "jobs", kept);
    expect(readKept(store, "me", "jobs")).toEqual(kept);
    expect(readKept(store, "other", "jobs").hidden).toEqual([]);
    store.setItem("berth-list:me:jobs", '{"hidden": 7, "isDense": 1}');
    expect(readKept(store, "me", "jobs")).toEqual({ hidden: [], shown: [], isDense: false });
    store.setItem("berth-list:me:jobs", "{");
    expect(readKept(store, "me", "jobs").isDense).toBe(false);
  });
});

describe("views of a list", () => {
  const view = (fields: Partial<SavedView>) =>
    ({ id: "v1", search: { state: "queued" }, is_opening: false, ...fields }) as SavedView;

  it("fill an address that has no filters of its own", () => {
    const views = [view({}), view({ id: "v2", is_opening: true })];
    expect(arrivingView(views, {})?.id).toBe("v2");
    expect(arrivingView(views, { group: "g", state: undefined })?.id).toBe("v2");
    expect(arrivingView(views, { view: "v1" })?.id).toBe("v1");
    expect(arrivingView(views, { view: "gone" })).toBeUndefined();
    expect(arrivingView(views, { view: "v1", state: "running" })).toBeUndefined();
    expect(arrivingView([view({})], {})).toBeUndefined();
  });

  it("are told from what was changed since", () => {
    expect(isAsIn(view({}), { state: "queued", view: "v1", q: undefined })).toBe(true);
    expect(isAsIn(view({}), { state: "queued", view: "v1", q: "vit" })).toBe(false);
    expect(hasOwnWords({ view: "v1", group: "g" })).toBe(false);
  });
});
