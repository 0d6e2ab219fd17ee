import { describe, expect, it } from "vitest";
import {
  appendText,
  EMPTY_LOG,
  finalText,
  firstErrorIn,
  LINES_MAX,
  linesWith,
  segmentsOf,
} from "./log";

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

const ESC = "\u001b";

describe("segmentsOf", () => {
  it("colours what the codes say and nothing after the reset", () => {
    expect(segmentsOf(`a ${ESC}[1;31mbad${ESC}[0m b`)).toEqual([
      { start: 0, text: "a ", colour: null, isBold: false },
      { start: 2, text: "bad", colour: 1, isBold: true },
      { start: 5, text: " b", colour: null, isBold: false },
    ]);
  });

  it("drops every other control sequence", () => {
    const line = `${ESC}[2K${ESC}]0;title\u0007plain${ESC}[38;5;196m red${ESC}[?25h\u0000`;
    expect(
      segmentsOf(line)
        .map(({ text }) => text)
        .join(""),
    ).toBe("plain red");
  });

  it("is quick on hostile input", () => {
    expect(segmentsOf(`${ESC}[`.repeat(20_000))).toMatchObject([{ text: "[".repeat(20_000) }]);
  });
});

describe("linesWith", () => {
  const log = appendText(
    EMPTY_LOG,
    "epoch 1\n\u001b[31mOut \u001b[1mof memory\u001b[0m\nepoch 2\n",
  );

  it("finds words whatever their case and colours, and keeps the numbers of their lines", () => {
    expect(linesWith(log, " out of ").map(({ number }) => number)).toEqual([2]);
    expect(linesWith(log, "[31m")).toEqual([]);
  });

  it("returns all lines without a text", () => {
    expect(linesWith(log, "  ")).toBe(log.lines);
  });
});

describe("firstErrorIn", () => {
  const numberIn = (...lines: string[]) =>
    firstErrorIn(appendText(EMPTY_LOG, `${lines.join("\n")}\n`));

  it.each([
    "Traceback (most recent call last):",
    "ValueError: shape (3, 224) is not (3, 256)",
    "torch.cuda.OutOfMemoryError: CUDA out of memory.",
    "\u001b[31mERROR\u001b[0m: rank 3 does not answer",
    "2026-03-01 12:00:00 [ERROR] cannot open the file",
    "bash: line 1: trainn: command not found",
    "Segmentation fault (core dumped)",
  ])("finds %j", (line) => {
    expect(numberIn("epoch 1", line, line)).toBe(2);
  });

  it.each(["validation error 0.031", "errors=0 warnings=2", "RMSError 0.5 better", "no errors"])(
    "takes %j for none",
    (line) => {
      expect(numberIn("epoch 1", line)).toBeNull();
    },
  );
});
