import { describe, expect, it } from "vitest";
import { envOf, isRepeated, VARIABLE_NAME } from "./env";

describe("environment variables", () => {
  it("become an object, without rows that have no name", () => {
    const rows = [{ name: "LR", value: "0.1" }, { value: "lost" }, undefined, { name: "EMPTY" }];
    expect(envOf(rows)).toEqual({ LR: "0.1", EMPTY: "" });
  });

  it("are named once", () => {
    const rows = [{ name: "A" }, { name: "B" }, { name: "A" }, {}, {}];
    expect(rows.map((_, index) => isRepeated(rows, index))).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  it.each(["9LIVES", "A-B", "A B", "变量", ""])("refuses %o as a name", (name) => {
    expect(VARIABLE_NAME.test(name)).toBe(false);
  });
});
