import { describe, expect, it } from "vitest";
import { aPolicy } from "@/testing/factories";
import { isChanged, knobValue, pathOf, SECTIONS } from "./knobs";

const knobs = SECTIONS.flatMap((section) => section.knobs);

describe("the knobs", () => {
  it("are all that a policy has, each once", () => {
    const { lending, ...rules } = aPolicy();
    const names = [...Object.keys(rules), ...Object.keys(lending)];
    expect(knobs.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it("find their values", () => {
    const policy = aPolicy();
    expect(knobs.filter((knob) => knobValue(policy, knob) === undefined)).toEqual([]);
    const bound = knobs.find(({ name }) => name === "bound_s");
    expect(bound && pathOf(bound)).toEqual(["lending", "bound_s"]);
  });

  it("know a change from the default, in lists too", () => {
    expect(isChanged([], [])).toBe(false);
    expect(isChanged([{ start: 0, end: 60 }], [])).toBe(true);
    expect(isChanged(60, 60)).toBe(false);
  });
});
