import { describe, expect, it } from "vitest";
import {
  appendRecords,
  EMPTY_LOG,
  finalText,
  firstErrorIn,
  isLeavingOut,
  LINE_MAX,
  LINES_MAX,
  type LogLines,
  lastLinesOf,
  linesWith,
  segmentsOf,
} from "./log";

function appendText(log: LogLines, text: string, rank = 0, at: number | null = null): LogLines {
  return appendRecords(log, [{ epoch: 1, rank, at, offset: 0, end: 0, text }]);
}

const textsOf = (log: LogLines) => log.lines.map(({ text }) => text);

describe("appendRecords", () => {
  it("joins lines that arrive in pieces, with the time at which they began", () => {
    const log = appendText(appendText(EMPTY_LOG, "one\ntw", 0, 5), "o\nthree", 0, 9);
    expect(log.lines.map(({ text, at }) => [text, at])).toEqual([
      ["one", 5],
      ["two", 5],
    ]);
    expect(log.open).toEqual([{ rank: 0, at: 9, text: "three" }]);
  });

  it("tells that a log is full until its end has come, where the first error is found", () => {
    const record = { epoch: 1, rank: 0, at: 1_000, offset: 0, end: 60 * 1024 * 1024, text: "a\nb" };
    const full = appendRecords(appendText(EMPTY_LOG, "x\n", 1), [record]);
    const text = "\n[... 9 lines, 99 bytes left out ...]\nc\nValueError: why\n";
    const ended = appendRecords(full, [{ ...record, offset: record.end, end: 2 ** 26, text }]);
    expect([EMPTY_LOG, full, ended].map(isLeavingOut)).toEqual([false, true, false]);
    const error = firstErrorIn(ended);
    expect(ended.lines.find(({ number }) => number === error)?.text).toBe("ValueError: why");
  });

  it("orders the lines of ranks by time, also those that arrive late", () => {
    let log = appendText(EMPTY_LOG, "a\n", 0, 1_000);
    log = appendText(log, "d\n", 0, 4_000);
    log = appendRecords(log, [
      { epoch: 1, rank: 1, at: 2_000, offset: 0, end: 2, text: "b\n" },
      { epoch: 1, rank: 2, at: 3_000, offset: 0, end: 2, text: "c\n" },
    ]);
    expect(textsOf(log)).toEqual(["a", "b", "c", "d"]);
  });

  it("keeps one rank's lines in order where its clock went back or is not known", () => {
    let log = appendText(EMPTY_LOG, "first\n", 0, 5_000);
    log = appendText(log, "second\n", 0, 1_000);
    log = appendText(log, "third\n", 0, null);
    expect(textsOf(log)).toEqual(["first", "second", "third"]);
    expect(log.lines.map(({ at }) => at)).toEqual([5_000, 1_000, null]);
  });

  it("keeps the open lines of ranks apart", () => {
    let log = appendText(EMPTY_LOG, "on", 0, 1_000);
    log = appendText(log, "tw", 1, 1_000);
    log = appendText(log, "e\n", 0, 2_000);
    expect(textsOf(log)).toEqual(["one"]);
    expect(log.open).toEqual([{ rank: 1, at: 1_000, text: "tw" }]);
  });

  it("says that what stands before was not asked for", () => {
    const record = { epoch: 1, rank: 1, at: null, offset: 900, end: 902, text: "a\n" };
    expect(appendRecords(EMPTY_LOG, [record]).isCut).toBe(true);
    expect(appendText(EMPTY_LOG, "a\n").isCut).toBe(false);
  });

  it("never grows beyond its bound and keeps counting", () => {
    const log = appendText(EMPTY_LOG, "x\n".repeat(LINES_MAX + 5));
    expect(log.lines).toHaveLength(LINES_MAX);
    expect(log.count).toBe(LINES_MAX + 5);
    expect(log.lines[0]?.number).toBe(6);
  });

  it("keeps no more of a line than can be read", () => {
    let log = EMPTY_LOG;
    for (let step = 0; step < 5; step += 1) log = appendText(log, "x".repeat(LINE_MAX));
    expect(log.open[0]?.text).toHaveLength(LINE_MAX);
    for (let step = 0; step < 5; step += 1) log = appendText(log, `\r${step}%`);
    expect(log.open[0]?.text).toBe("4%");
  });

  it("shows what a terminal would show of a progress bar", () => {
    expect(finalText("10%\r50%\r90%")).toBe("90%");
    expect(finalText("done\r")).toBe("done");
    expect(textsOf(appendText(EMPTY_LOG, "a\r\nb\r\n"))).toEqual(["a", "b"]);
    expect(textsOf(appendText(appendText(EMPTY_LOG, "10%\rdone\r"), "\n"))).toEqual(["done"]);
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

describe("lastLinesOf", () => {
  const traceback = [
    "step 1",
    "Traceback (most recent call last):",
    '  File "train.py", line 3, in <module>',
    "\u001b[31mRuntimeError: CUDA out of memory\u001b[0m",
  ];

  it("finds what Python raised, and shows the end without colours", () => {
    const { lines, error } = lastLinesOf(traceback.join("\n"));
    expect(error).toBe("RuntimeError: CUDA out of memory");
    expect(lines.at(-1)).toBe("RuntimeError: CUDA out of memory");
    expect(lines).toHaveLength(4);
  });

  it("shows the last lines of a long log, without empty ones", () => {
    const text = Array.from({ length: 50 }, (_, number) => `line ${number}\n\n`).join("");
    const { lines, error } = lastLinesOf(text);
    expect(lines[0]).toBe("line 42");
    expect(lines).toHaveLength(8);
    expect(error).toBeNull();
  });

  it("has nothing of an empty log", () => {
    expect(lastLinesOf("")).toEqual({ lines: [], error: null });
  });
});
