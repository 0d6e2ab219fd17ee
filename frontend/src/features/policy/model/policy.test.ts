import { describe, expect, it } from "vitest";
import { aPolicy } from "@/testing/factories";
import { clockOf, dayName, dayOf, isChanged, knobValue, minuteOf, pathOf, SECTIONS } from "./knobs";

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

describe("minutes of the week", () => {
  it.each([
    [0, 0, "00:00"],
    [545, 0, "09:05"],
    [10_079, 6, "23:59"],
  ])("%i is day %i at %s", (minute, day, clock) => {
    expect([dayOf(minute), clockOf(minute)]).toEqual([day, clock]);
    expect(minuteOf(day, clock)).toBe(minute);
  });

  it("stay inside the week whatever is typed", () => {
    expect(minuteOf(6, "24:00")).toBe(0);
    expect(minuteOf(2, "")).toBe(2880);
  });

  it("are named in the reader's language", () => {
    expect(dayName(0, "en")).toBe("Monday");
    expect(dayName(6, "zh-CN")).toBe("星期日");
  });
});
