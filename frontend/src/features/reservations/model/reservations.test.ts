import { expect, test } from "vitest";
import {
  CALENDAR_DAYS,
  DAY_MS,
  localValue,
  newReservation,
  nextWindow,
  type ReservationForm,
  reservationInput,
  windowBars,
} from "./reservations";

const FORM: ReservationForm = {
  how: "own",
  name: "Course",
  group: "g",
  pool: "p",
  unit: "slices",
  gpus: 12,
  starts_at: "2026-11-24T09:00",
  ends_at: "2026-11-24T12:00",
  weeks: 2,
  release_min: 30,
};

const windowAt = (day: number, hours = 3) => ({
  starts_at: new Date(day).toISOString(),
  ends_at: new Date(day + hours * 3_600_000).toISOString(),
  released_at: null,
});

test("the form becomes a request with moments in UTC", () => {
  const input = reservationInput(FORM);

  expect(input).toMatchObject({ gpus: 0, slices: 12, users: [], release_unused_after_s: 1800 });
  expect(input.starts_at).toBe(new Date("2026-11-24T09:00").toISOString());
  expect(new Date(input.weekly_until ?? 0).getTime() - new Date(input.starts_at).getTime()).toBe(
    14 * DAY_MS,
  );
  expect(reservationInput({ ...FORM, weeks: 0, unit: "gpus" })).toMatchObject({
    gpus: 12,
    slices: 0,
    weekly_until: null,
  });
});

test("a new one begins with the next full hour", () => {
  const found = newReservation(new Date("2026-11-24T08:20"));

  expect(found).toMatchObject({ starts_at: "2026-11-24T09:00", ends_at: "2026-11-24T12:00" });
  expect(localValue(new Date("2026-11-24T23:05"))).toBe("2026-11-24T23:05");
});

test("the calendar cuts windows at its edges", () => {
  const first = new Date("2026-11-24T00:00:00Z");
  const day = first.getTime();
  const bars = windowBars(
    [windowAt(day - 3_600_000), windowAt(day + 7 * DAY_MS), windowAt(day + CALENDAR_DAYS * DAY_MS)],
    first,
  );

  expect(bars.map(({ left }) => Math.round(left))).toEqual([0, 50]);
  expect(bars[0]?.width).toBeCloseTo((2 / 24 / CALENDAR_DAYS) * 100);
});

test("the next window is the first that is not over", () => {
  const now = new Date("2026-11-24T10:00:00Z");
  const day = now.getTime();
  const windows = [windowAt(day - 7 * DAY_MS), windowAt(day - 3_600_000), windowAt(day + DAY_MS)];

  expect(nextWindow(windows, now)).toBe(windows[1]);
  expect(nextWindow(windows.slice(0, 1), now)).toBeUndefined();
});
