import { describe, expect, it } from "vitest";
import {
  alignLines,
  joinHoles,
  lonelyPoints,
  marksOf,
  nearestIndex,
  rangeFromZero,
  roomyRange,
} from "./plot";

describe("gaps", () => {
  it("are what is longer than the time between two measurements", () => {
    expect(joinHoles([1, null, null, 4, null, null, null, 8, null], 5_000)).toEqual([
      1,
      undefined,
      undefined,
      4,
      null,
      null,
      null,
      8,
      null,
    ]);
    expect(joinHoles([1, null, 3], 15_000)).toEqual([1, null, 3]);
  });
  it("leave points without a neighbour", () => {
    expect(lonelyPoints([1, null, 3, 4, null, 6])).toEqual([0, 5]);
    expect(lonelyPoints([1, undefined, 3])).toEqual([]);
    expect(lonelyPoints([undefined, 2, null])).toEqual([1]);
    expect(lonelyPoints([])).toEqual([]);
  });
});

it("puts lines with points of their own on one axis", () => {
  const { xs, values } = alignLines([
    { xs: [0, 10], values: [1, null] },
    { xs: [5, 10], values: [2, 3] },
  ]);
  expect(xs).toEqual([0, 5, 10]);
  expect(values).toEqual([
    [1, undefined, null],
    [undefined, 2, 3],
  ]);
  expect([0, 1, 2].map((index) => nearestIndex(values[1] ?? [], index))).toEqual([1, 1, 2]);
  expect(nearestIndex([undefined], 0)).toBeNull();
});

it("gives scales a little room", () => {
  expect(rangeFromZero(100, 1)).toEqual([0, 110.00000000000001]);
  expect(rangeFromZero(0, 100)).toEqual([0, 100]);
  expect(roomyRange(0, 20)).toEqual([-1, 21]);
  expect(roomyRange(2, 2)).toEqual([1, 3]);
  expect(roomyRange(0, 0)).toEqual([-1, 1]);
});

it("marks memory at powers of two, and the rest at ones, twos and fives", () => {
  expect(marksOf(true).slice(0, 4)).toEqual([0.25, 0.5, 1, 2]);
  expect(marksOf(false)).toContain(500);
});
