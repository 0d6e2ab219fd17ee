import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { formatTimes } from "@/shared/telemetry/model/amounts";
import {
  adoptClock,
  chooseClock,
  clockStyle,
  momentAt,
  startClock,
  subscribeToClock,
  wallTime,
} from "./clock";
import { formatClock, formatMoment, formatSpan, formatWhen, formatZone } from "./format";

const kept = new Map<string, string>();

beforeEach(() => {
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});
afterEach(() => chooseClock("", "h23"));

const afternoon = new Date("2026-03-01T06:20:00Z");

describe("the chosen clock", () => {
  it("shows all times in its zone, and in twelve hours where that was chosen", () => {
    chooseClock("Asia/Shanghai", "h12");
    const night = new Date("2026-03-01T17:00:00Z");
    expect(formatClock(afternoon, "en")).toBe("02:20 PM");
    expect(formatClock(afternoon, "zh-CN")).toBe("下午02:20"); // locale-check: the expected text
    expect(formatMoment(afternoon, "en")).toBe("Mar 1, 2026, 02:20:00 PM GMT+8");
    expect(formatZone(afternoon, "en")).toBe("GMT+8");
    expect(formatWhen(night, afternoon, "en")).toBe("Mon 01:00 AM");
    expect(formatSpan(afternoon, night, "en")).toMatch(/^Sun, Mar 1, .*Mon, Mar 2, .*GMT\+8$/);
    const midnight = Date.parse("2026-03-01T16:00:00Z");
    expect(formatTimes([midnight, midnight + 3_600_000], 3_600_000, "en")).toEqual([
      "Mar 2",
      "01:00 AM",
    ]);
  });

  it("is kept, and is the browser's where the zone is not known", () => {
    chooseClock("Europe/Berlin", "h12");
    startClock();
    expect(clockStyle()).toEqual({ timeZone: "Europe/Berlin", hourCycle: "h12" });
    chooseClock("Europe/Atlantis", "h23");
    expect(clockStyle()).toEqual({ hourCycle: "h23" });
  });

  it("is that of the account, and tells nobody where nothing has changed", () => {
    let told = 0;
    const stop = subscribeToClock(() => {
      told += 1;
    });
    adoptClock("Europe/Berlin", "h12");
    adoptClock("Europe/Berlin", "h12");
    stop();
    expect(clockStyle()).toEqual({ timeZone: "Europe/Berlin", hourCycle: "h12" });
    expect(told).toBe(1);
  });
});

describe("what is entered", () => {
  it.each([
    ["America/New_York", "2026-07-01T09:00", "2026-07-01T13:00:00.000Z"],
    ["America/New_York", "2026-01-15T23:59:59.999", "2026-01-16T04:59:59.999Z"],
    ["Asia/Kolkata", "2026-01-15T00:00", "2026-01-14T18:30:00.000Z"],
    // On the days on which the clocks change: before, after, and what they leave out.
    ["America/New_York", "2026-03-08T01:30", "2026-03-08T06:30:00.000Z"],
    ["America/New_York", "2026-03-08T02:30", "2026-03-08T07:30:00.000Z"],
    ["America/New_York", "2026-03-08T04:00", "2026-03-08T08:00:00.000Z"],
    ["America/New_York", "2026-11-01T03:00", "2026-11-01T08:00:00.000Z"],
    ["Australia/Sydney", "2026-10-04T12:00", "2026-10-04T01:00:00.000Z"],
  ])("is a time in %s: %s", (zone, wall, moment) => {
    chooseClock(zone, "h23");
    expect(momentAt(wall).toISOString()).toBe(moment);
  });

  it("is what the clock of the browser says where no zone was chosen", () => {
    const noon = new Date(2026, 2, 2, 12, 0);
    expect(wallTime(noon)).toBe("2026-03-02T12:00:00");
    expect(momentAt("2026-03-02T12:00")).toEqual(noon);
  });
});
