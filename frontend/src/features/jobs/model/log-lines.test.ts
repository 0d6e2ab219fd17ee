import { describe, expect, it } from "vitest";
import { appendText, EMPTY_LOG, finalText, LINES_MAX } from "./log-lines";

describe("appendText", () => {
  it("joins lines that arrive in pieces", () => {
    const log = appendText(appendText(EMPTY_LOG, "one\ntw"), "o\nthree");
    expect(log.lines.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(log.open).toBe("three");
  });

  it("never grows beyond its bound and keeps counting", () => {
    const log = appendText(EMPTY_LOG, "x\n".repeat(LINES_MAX + 5));
    expect(log.lines).toHaveLength(LINES_MAX);
    expect(log.count).toBe(LINES_MAX + 5);
    expect(log.lines[0]?.number).toBe(6);
  });

  it("shows what a terminal would show of a progress bar", () => {
    expect(finalText("10%\r50%\r90%")).toBe("90%");
    expect(finalText("done\r")).toBe("done");
    expect(appendText(EMPTY_LOG, "a\r\nb\r\n").lines.map(({ text }) => text)).toEqual(["a", "b"]);
  });
});
