import { describe, expect, it } from "vitest";
import {
  formatAge,
  formatBytes,
  formatDeadline,
  formatDuration,
  formatGpus,
  formatMemory,
  formatMilli,
  formatMoment,
  formatMoney,
  formatSome,
  formatWhen,
  formatZone,
} from "./format";

describe("amounts", () => {
  it.each([
    [512, "512 MiB"],
    [4096, "4.0 GiB"],
    [1536, "1.5 GiB"],
    [524_288, "512 GiB"],
  ])("writes %i MiB as %s", (mib, text) => {
    expect(formatMemory(mib, "en")).toBe(text);
  });

  it("does not write an amount as nothing", () => {
    const amounts = [0, 0.01, 0.04, 0.06, 12.34];
    const written = amounts.map((amount) => formatSome(amount, "en"));
    expect(written).toEqual(["0", "<0.1", "<0.1", "0.1", "12.3"]);
    expect(formatSome(0.2, "en", 0)).toBe("<1");
    expect([0, 0.001, 0.02].map((amount) => formatMoney(amount, "EUR", "en"))).toEqual([
      "€0.00",
      "<€0.01",
      "€0.02",
    ]);
  });

  it("keeps thousandths exact", () => {
    expect(formatMilli(125, "en")).toBe("0.125");
    expect(formatMilli(6000, "zh-CN")).toBe("6");
  });

  it.each([
    [6000, "6"],
    [125, "⅛"],
    [5875, "5⅞"],
    [2100, "2.1"],
    [0, "0"],
  ])("writes %i thousandths of a GPU as %s", (milli, text) => {
    expect(formatGpus(milli, "en")).toBe(text);
  });

  it("writes parts of a GPU as decimals in Chinese", () => {
    expect(formatGpus(5875, "zh-CN")).toBe("5 又 7/8"); // locale-check: the expected text
    expect(formatGpus(250, "zh-CN")).toBe("1/4");
  });

  it.each([
    [0, "0 B"],
    [1023, "1,023 B"],
    [4608, "4.5 KiB"],
    [734_003_200, "700 MiB"],
  ])("writes %i bytes as %s", (bytes, text) => {
    expect(formatBytes(bytes, "en")).toBe(text);
  });
});

describe("times", () => {
  it.each([
    [0, "0 s"],
    [42, "42 s"],
    [393, "6 min 33 s"],
    [3600, "1 h"],
    [28_799.6, "8 h"],
    [3725, "1 h 2 min"],
    [3750, "1 h 3 min"],
    [86_399, "1 d"],
    [273_600, "3 d 4 h"],
  ])("writes %i seconds as %s", (seconds, text) => {
    expect(formatDuration(seconds, "en")).toBe(text);
  });

  const now = new Date("2026-03-01T12:00:00Z");
  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);

  it.each([
    [-300, "5 minutes ago"],
    [-20, "20 seconds ago"],
    [8 * 3600 - 1, "in 8 hours"],
    [30 * 86_400 - 5, "in 30 days"],
    [86_400 - 60, "in 1 day"],
    [59.6 * 60, "in 1 hour"],
  ])("rounds %d seconds from now to %s, never cuts", (seconds, text) => {
    expect(formatAge(inSeconds(seconds), now, "en")).toBe(text);
  });

  it("tells ages in Chinese", () => {
    expect(formatAge(inSeconds(7200), now, "zh-CN")).toBe("2小时后"); // locale-check: the expected text
  });

  it("names the zone of records and deadlines", () => {
    const moment = inSeconds(0);
    const zone = formatZone(moment, "en");
    expect(zone).toMatch(/^(UTC|GMT|[A-Z]{2,5})/);
    expect(formatMoment(moment, "en")).toMatch(new RegExp(`:00 ${zone.replace("+", "\\+")}$`));
    expect(formatDeadline(moment, now, "en")).toMatch(/^\d\d:\d\d \S+$/);
  });

  it("names the day only where it is needed", () => {
    const noon = new Date(2026, 2, 2, 12, 0);
    expect(formatWhen(new Date(2026, 2, 2, 14, 20), noon, "en")).toBe("14:20");
    expect(formatWhen(new Date(2026, 2, 3, 9, 5), noon, "en")).toBe("Tue 09:05");
    expect(formatWhen(new Date(2026, 2, 20, 9, 5), noon, "en")).toBe("Mar 20 09:05");
    expect(formatWhen(new Date(2026, 2, 3, 9, 5), noon, "zh-CN")).toBe("周二 09:05");
  });
});
