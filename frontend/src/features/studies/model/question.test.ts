import { expect, it } from "vitest";
import { questionBody } from "./question";

it("asks about servers, or about limits in thousandths of cards", () => {
  expect(questionBody({ days: 7, kind: "nodes", like: "n1", count: 2 })).toEqual({
    title: "",
    days: 7,
    nodes: [{ like: "n1", count: 2 }],
  });
  expect(
    questionBody({ title: "x", days: 7, kind: "quota", group: "g", pool: "p", ceiling: 1.5 }),
  ).toEqual({
    title: "x",
    days: 7,
    quotas: [{ group: "g", pool: "p", resource: "gpu", ceiling: 1500 }],
  });
});
