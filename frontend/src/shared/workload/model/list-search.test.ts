import { describe, expect, it } from "vitest";
import { filtersOf, isFiltered, readListSearch } from "./list-search";

describe("the address of a list", () => {
  it("keeps only what it knows", () => {
    expect(readListSearch({ show: "ended", mine: true, q: "vit", other: 1 })).toEqual({
      show: "ended",
      mine: true,
      q: "vit",
    });
    expect(readListSearch({ show: "nonsense", mine: "yes", q: 7 })).toEqual({});
  });

  it("shows active work of all my groups unless told otherwise", () => {
    expect(filtersOf("training", {}, null)).toEqual({
      kind: "training",
      collapsed: true,
      active: true,
    });
    expect(filtersOf("environment", { show: "all", mine: true, q: "a" }, "g")).toEqual({
      kind: "environment",
      owner: "me",
      group: "g",
      search: "a",
    });
  });

  it("asks for work whose owner has left", () => {
    expect(readListSearch({ left: true })).toEqual({ left: true });
    expect(readListSearch({ left: "yes" })).toEqual({});
    expect(filtersOf("training", { left: true }, null)).toMatchObject({ owner_left: true });
  });

  it("knows whether an empty list is the filters' doing", () => {
    expect(isFiltered({})).toBe(false);
    expect(isFiltered({ q: "a" })).toBe(true);
  });
});
