import { describe, expect, it } from "vitest";
import { linePath, nearest, newest, roundTop, runsOf } from "./plot";

describe("roundTop", () => {
  it("is round and never below the largest value", () => {
    expect([0, 1, 7, 42, 100, 101, 730].map((most) => roundTop(most))).toEqual([
      1, 1, 7.5, 50, 100, 150, 750,
    ]);
  });
  it("counts memory in powers of two", () => {
    expect([1, 900, 1024, 30000].map((most) => roundTop(most, 2))).toEqual([1, 1024, 1024, 32768]);
  });
});

describe("linePath", () => {
  it("draws a line from the bottom to the top", () => {
    expect(linePath([0, 50, 100], 100, 200, 80)).toBe("M0.0 80.0L100.0 40.0L200.0 0.0");
  });
  it("leaves a gap where nothing was measured", () => {
    expect(linePath([0, 0, null, 0, 0], 1, 40, 10)).toBe("M0.0 10.0L10.0 10.0M30.0 10.0L40.0 10.0");
  });
  it("shows a lonely value, and nothing of none", () => {
    expect(linePath([null, 1, null], 1, 20, 10)).toBe("M10.0 0.0 h5.0");
    expect(linePath([null, null], 1, 20, 10)).toBe("");
  });
  it("keeps what is too large inside", () => {
    expect(linePath([9, 9], 3, 10, 10)).toBe("M0.0 0.0L10.0 0.0");
  });
});

it("finds runs, the newest value and the nearest point", () => {
  expect(runsOf([null, 1, 2, null, 3])).toEqual([
    { start: 1, values: [1, 2] },
    { start: 4, values: [3] },
  ]);
  expect(newest([1, 2, null])).toBe(2);
  expect(newest([null])).toBeNull();
  expect([-1, 0, 0.49, 1, 2].map((place) => nearest(place, 3))).toEqual([0, 0, 1, 2, 2]);
});
