import { describe, expect, it } from "vitest";
import { commandLine, isShortScript, splitCommand } from "./program";

describe("splitCommand", () => {
  it.each([
    ["python train.py --lr 0.1", ["python", "train.py", "--lr", "0.1"]],
    [`sh -c 'echo "a  b"'`, ["sh", "-c", 'echo "a  b"']],
    ['say "it\\"s" x\\ y', ["say", 'it"s', "x y"]],
    ["a''b \"\" c", ["ab", "", "c"]],
    ["  spaced\n\tout  ", ["spaced", "out"]],
    ["", []],
  ])("splits %j", (line, words) => {
    expect(splitCommand(line)).toEqual({ words, isComplete: true });
  });

  it("notices a quote that is never closed", () => {
    expect(splitCommand("echo 'oops").isComplete).toBe(false);
    expect(splitCommand('echo "oops').isComplete).toBe(false);
  });

  it("is undone by commandLine", () => {
    const words = ["echo", "it's", "", "a b", "$HOME"];
    expect(splitCommand(commandLine(words)).words).toEqual(words);
  });
});

it("counts the bytes of a script, not its characters", () => {
  expect(isShortScript("x".repeat(65_536))).toBe(true);
  expect(isShortScript("x".repeat(65_537))).toBe(false);
  expect(isShortScript("é".repeat(40_000))).toBe(false);
});
