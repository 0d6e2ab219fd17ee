import { describe, expect, it } from "vitest";
import { segmentsOf } from "./ansi";

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
