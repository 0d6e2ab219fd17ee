import { expect, it } from "vitest";
import { areasOf, idleIn, ticksOf } from "./day";

const DAY = {
  times: Array.from({ length: 5 }, (_, at) => `2026-03-01T0${at}:00:00Z`),
  held_milli: [0, 4000, 8000, 8000, 2000],
  used_milli: [null, 1000, 4000, 8000, 1000],
  waiting: [0, 0, 2, 4, 0],
  waiting_milli: [0, 0, 2000, 8000, 0],
};

it("draws what waits on top of what is held, against all that there is", () => {
  const { most, capacity, areas } = areasOf(DAY, 8);
  expect([most, capacity]).toEqual([16_000, 50]);
  expect(areas.held).toBe("0,100 25,75 50,50 75,50 100,87.5 100,100 75,100 50,100 25,100 0,100");
  expect(areas.waiting.split(" ").slice(2, 4)).toEqual(["50,37.5", "75,0"]);
  expect(areasOf({ ...DAY, waiting_milli: [0, 0, 0, 0, 0] }, 16).capacity).toBe(0);
  expect(areasOf(DAY, null).capacity).toBeNull();
});

it("has a tick at both ends, and no idle GPUs where use is not known", () => {
  expect(ticksOf(DAY)).toEqual(DAY.times);
  expect(idleIn(DAY)).toEqual([null, 3000, 4000, 0, 1000]);
});
