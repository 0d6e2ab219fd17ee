import { expect, it } from "vitest";
import { chosenAccuracy, demandCurve } from "./forecast";

const AT = (hour: number) => `2026-03-01T0${hour}:00:00Z`;
const forecast = {
  made_at: AT(2),
  model: "mstl",
  is_trusted: true,
  past: [
    { at: AT(0), requests: 5 },
    { at: AT(1), requests: 7 },
  ],
  hours: [{ at: AT(2), low: 4, middle: 8, high: 12 }],
  accuracy: [
    { model: "seasonal_naive", error_permille: 200, against_naive_permille: 1000, hours: 168 },
    { model: "mstl", error_permille: 150, against_naive_permille: 750, hours: 168 },
  ],
};

it("draws what came, then what is expected, with the interval between its edges", () => {
  const { xs, lines, bands, extent } = demandCurve(forecast);
  const values = Object.fromEntries(lines.map((line) => [line.key, line.values]));
  expect(xs).toHaveLength(3);
  expect(values).toEqual({
    came: [5, 7, null],
    high: [null, null, 12],
    low: [null, null, 4],
    middle: [null, null, 8],
  });
  expect(lines[bands[0]?.high ?? -1]?.key).toBe("high");
  expect(extent).toEqual({ from: Date.parse(AT(0)), to: Date.parse(AT(2)) });
});

it("finds how the chosen model did", () => {
  expect(chosenAccuracy(forecast)?.against_naive_permille).toBe(750);
});
