import { expect, test } from "vitest";
import { clockTime, isStopSoon, scheduleDigest, scheduleForm, scheduleInput } from "./notebook";

const SCHEDULE = {
  days: [0, 4],
  start_minute: 545,
  stop_minute: null,
  next_start_at: null,
  next_stop_at: "2026-11-23T11:00:00Z",
};

test("a schedule becomes the form and comes back the same", () => {
  expect(scheduleForm(SCHEDULE)).toEqual({ days: [0, 4], start: "09:05", stop: "" });
  expect(scheduleInput(scheduleForm(SCHEDULE))).toEqual({
    days: [0, 4],
    start_minute: 545,
    stop_minute: null,
  });
  expect(clockTime(0)).toBe("00:00");
});

test("without a schedule the form offers working days", () => {
  const empty = { ...SCHEDULE, days: [], start_minute: null };

  expect(scheduleForm(empty)).toEqual({ days: [0, 1, 2, 3, 4], start: "09:00", stop: "19:00" });
});

test("a stop is announced half an hour before", () => {
  expect(isStopSoon(SCHEDULE, new Date("2026-11-23T10:29:00Z"))).toBe(false);
  expect(isStopSoon(SCHEDULE, new Date("2026-11-23T10:31:00Z"))).toBe(true);
  expect(isStopSoon({ ...SCHEDULE, next_stop_at: null }, new Date())).toBe(false);
});

test("a schedule in a few words joins days that follow each other", () => {
  const times = { start: "09:00", stop: "" };
  expect(scheduleDigest({ days: [5, 0, 1, 2], ...times }, "en")).toBe("Mon–Wed, Sat 09:00–…");
  expect(scheduleDigest({ days: [2], start: "", stop: "19:00" }, "zh-CN")).toBe("周三 …–19:00");
});
