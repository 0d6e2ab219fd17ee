import { describe, expect, it } from "vitest";
import {
  formatAge,
  formatBytes,
  formatDuration,
  formatMemory,
  formatMilli,
  formatWhen,
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

  it("keeps thousandths of a card exact", () => {
    expect(formatMilli(125, "en")).toBe("0.125");
    expect(formatMilli(6000, "zh-CN")).toBe("6");
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
    [0, "0 sec"],
    [42, "42 sec"],
    [3600, "1 hr"],
    [3725, "1 hr 2 min"],
    [273_600, "3 days 4 hr"],
  ])("writes %i seconds as %s", (seconds, text) => {
    expect(formatDuration(seconds, "en")).toBe(text);
  });

  it("tells ages backwards and forwards in both languages", () => {
    const now = new Date("2026-03-01T12:00:00Z");
    expect(formatAge(new Date("2026-03-01T11:55:00Z"), now, "en")).toBe("5 minutes ago");
    expect(formatAge(new Date("2026-03-01T14:00:00Z"), now, "zh-CN")).toBe("2小时后");
    expect(formatAge(new Date("2026-03-01T11:59:58Z"), now, "en")).toBe("now");
  });

  it("names the day only where it is needed", () => {
    const now = new Date(2026, 2, 2, 12, 0);
    expect(formatWhen(new Date(2026, 2, 2, 14, 20), now, "en")).toBe("14:20");
    expect(formatWhen(new Date(2026, 2, 3, 9, 5), now, "en")).toBe("Tue 09:05");
    expect(formatWhen(new Date(2026, 2, 20, 9, 5), now, "en")).toBe("Mar 20 09:05");
    expect(formatWhen(new Date(2026, 2, 3, 9, 5), now, "zh-CN")).toBe("周二 09:05");
  });
});
