import { describe, expect, it } from "vitest";
import { hasEnded, isArrayText, startOf } from "./start";

describe("indexes of an array", () => {
  it.each(["", "0-9999%50", "1,3,5-7", "0-15:4", " 0-3, 9 "])("takes %j", (text) => {
    expect(isArrayText(text)).toBe(true);
  });
  it.each(["a", "1-", "1,,2", "0-9%", "0-9%x", "-1"])("refuses %j", (text) => {
    expect(isArrayText(text)).toBe(false);
  });
});

describe("when a job starts", () => {
  it("says nothing of what is left as it is", () => {
    expect(startOf({ array: " ", not_before: "", dependencies: [undefined, {}] })).toEqual({});
  });
  it("names indexes, begin time, hold and dependencies", () => {
    const not_before = "2026-03-01T09:00";
    const found = startOf({
      array: "0-9",
      not_before,
      held: true,
      dependencies: [{ id: "job-1" }, { type: "after", id: "job-2" }],
    });
    expect(found).toEqual({
      array: "0-9",
      not_before: new Date(not_before).toISOString(),
      held: true,
      dependencies: [
        { type: "after_ok", id: "job-1" },
        { type: "after", id: "job-2" },
      ],
    });
  });
});

it("knows when every task has ended", () => {
  expect(hasEnded({ succeeded: 3, failed: 1 })).toBe(true);
  expect(hasEnded({ succeeded: 3, queued: 1 })).toBe(false);
});
