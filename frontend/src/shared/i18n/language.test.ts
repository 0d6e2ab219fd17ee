import { expect, it } from "vitest";
import { titleOptions } from "./language";

it("offers things in the order of their titles, and numbers as numbers", () => {
  const things = ["Lab 10", "lab 2", "Audio"].map((title) => ({
    id: title,
    name: title,
    title_en: title,
    title_zh: title,
  }));
  expect(titleOptions(things, "en").map(({ label }) => label)).toEqual([
    "Audio",
    "lab 2",
    "Lab 10",
  ]);
});
