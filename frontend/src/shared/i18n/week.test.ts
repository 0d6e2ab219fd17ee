import { describe, expect, it } from "vitest";
import { clockOf, dayName, dayOf, formatWindow, minuteOf } from "./week";

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

  it("make up a window", () => {
    expect(formatWindow({ start: 1200, end: 1920 }, "en")).toBe("Monday 20:00 – Tuesday 08:00");
  });
});
