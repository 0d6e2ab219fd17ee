import { expect, it } from "vitest";
import { entriesFor, pageOf, type QuickEntry } from "./entries";

const entries: QuickEntry[] = [
  { to: "/notebooks/new", label: "新建 Notebook", group: "acts" },
  { to: "/queue", label: "队列", group: "pages" },
  { to: "/what-if", label: "假设分析", group: "pages" },
];
const found = (text: string) => entriesFor(entries, text).map(({ to }) => to);

it("finds a page by every word of its label, or by its address in any language", () => {
  expect(found("")).toHaveLength(3);
  expect(found("notebook 新建")).toEqual(["/notebooks/new"]);
  expect(found("QUEUE")).toEqual(["/queue"]);
  expect(found("队列 notebook")).toEqual([]);
});

it("leads to the page of work by its kind, and of an array to the array's", () => {
  expect(pageOf({ id: "1", kind: "environment", array: null })).toBe("/notebooks/1");
  expect(pageOf({ id: "1", kind: "app", array: null })).toBe("/apps/1");
  const array = { id: "9" } as never;
  expect(pageOf({ id: "1", kind: "training", array })).toBe("/jobs/arrays/9");
});
