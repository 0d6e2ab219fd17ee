import { expect, it } from "vitest";
import type { Hit } from "@/shared/api/types";
import { entriesFor, pageOf, type QuickEntry } from "./entries";

const entries: QuickEntry[] = [
  { to: "/notebooks/new", label: "新建 Notebook", group: "acts" },
  { to: "/queue", label: "队列", group: "pages" },
  { to: "/what-if", label: "假设分析", group: "pages" },
  { to: "/help/users/waiting", label: "为什么在排队", group: "guides" },
];
const found = (text: string) => entriesFor(entries, text).map(({ to }) => to);

it("finds a page by every word of its label, or by its address in any language", () => {
  expect(found("")).toHaveLength(3);
  expect(found("notebook 新建")).toEqual(["/notebooks/new"]);
  expect(found("QUEUE")).toEqual(["/queue"]);
  expect(found("队列 notebook")).toEqual([]);
  expect(found("排队")).toEqual(["/help/users/waiting"]);
});

it("leads to the page of what was found, and of an array to the array's", () => {
  const hit: Hit = { kind: "training", id: "1", name: "a b", detail: "", state: "", array: null };
  expect(pageOf({ ...hit, kind: "environment" }, false)).toBe("/notebooks/1");
  expect(pageOf({ ...hit, kind: "app" }, false)).toBe("/apps/1");
  expect(pageOf({ ...hit, array: "9" }, false)).toBe("/jobs/arrays/9");
  expect(pageOf({ ...hit, kind: "node" }, false)).toBe("/nodes/1");
  expect(pageOf({ ...hit, kind: "dataset" }, false)).toBe("/datasets?dataset=1");
  expect(pageOf({ ...hit, kind: "image" }, false)).toBe("/images?image=1");
  expect(pageOf({ ...hit, kind: "person" }, true)).toBe("/people?person=a%20b");
  expect(pageOf({ ...hit, kind: "person" }, false)).toBe("/jobs?show=all&owner=a%20b");
});
