import { describe, expect, it } from "vitest";
import english from "../locales/en.json";
import chinese from "../locales/zh-CN.json";
import { nodeWords } from "./fault-code";

describe("nodeWords", () => {
  it("takes the code off what the engine said", () => {
    expect(nodeWords("image_not_found: manifest unknown: x")).toEqual({
      code: "image_not_found",
      words: "manifest unknown: x",
    });
  });

  it("knows a code that stands alone", () => {
    expect(nodeWords("no_command")).toEqual({ code: "no_command", words: "" });
  });

  it("leaves other words whole", () => {
    for (const words of ["SIGKILL", "Killed: by hand", "the node's disk was full at the end"]) {
      expect(nodeWords(words)).toEqual({ code: null, words });
    }
  });
});

it("has words in both languages for the codes that the agent's two runtimes tell", () => {
  for (const { fault } of [english, chinese]) {
    expect(Object.keys(fault)).toEqual(
      expect.arrayContaining([
        "killed_after_grace",
        "shim_lost",
        "a_process_was_killed_for_memory",
        "not_ready",
      ]),
    );
  }
});
