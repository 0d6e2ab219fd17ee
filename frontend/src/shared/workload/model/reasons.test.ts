import { describe, expect, it } from "vitest";
import type { StartRange } from "@/shared/api/types";
import english from "../locales/en.json";
import chinese from "../locales/zh-CN.json";
import { amountsIn, exitMeaning, nodeWords, spanOf, withinPromise } from "./reasons";

const now = new Date("2026-03-01T12:00:00Z");

function range(earliest: string, latest: string): StartRange {
  return {
    earliest: `2026-03-01T${earliest}Z`,
    latest: `2026-03-01T${latest}Z`,
    basis: "limits",
    sure_percent: null,
    estimates: 0,
  };
}

describe("spanOf", () => {
  it("keeps both ends of a real range", () => {
    expect(spanOf(range("12:20:00", "13:05:00"), now).form).toBe("between");
  });

  it("is not more exact than a minute", () => {
    expect(spanOf(range("12:20:00", "12:20:59"), now).form).toBe("about");
  });

  it("does not name a beginning that is past", () => {
    expect(spanOf(range("11:59:00", "13:05:00"), now)).toEqual({
      form: "by",
      to: new Date("2026-03-01T13:05:00Z"),
    });
  });
});

describe("withinPromise", () => {
  const expected = range("12:10:00", "12:23:00");
  const at = (clock: string) => `2026-03-01T${clock}Z`;

  it("expects nothing later than what is promised", () => {
    expect(withinPromise(expected, at("12:22:00"))).toMatchObject({
      earliest: at("12:10:00"),
      latest: at("12:22:00"),
    });
    expect(withinPromise(expected, at("12:05:00"))).toMatchObject({
      earliest: at("12:05:00"),
      latest: at("12:05:00"),
    });
  });

  it("leaves what is sooner as it is", () => {
    expect(withinPromise(expected, at("12:30:00"))).toEqual(expected);
    expect(withinPromise(expected, undefined)).toEqual(expected);
  });
});

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

describe("amountsIn", () => {
  it("reads what was used and granted, and on which card", () => {
    expect(amountsIn("303 MiB used, 256 MiB granted")).toEqual({
      used: "303",
      granted: "256",
      card: "",
    });
    expect(amountsIn("12000 MiB used, 4096 MiB guaranteed on GPU-1")).toEqual({
      used: "12000",
      granted: "4096",
      card: "GPU-1",
    });
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

it.each([
  [0, "success"],
  [1, "error"],
  [127, "not_found"],
  [137, "killed"],
  [-9, "killed"],
  [-15, "terminated"],
  [141, "signal"],
  [42, "other"],
  [255, "other"],
])("explains exit code %i as %s", (code, meaning) => {
  expect(exitMeaning(code)).toBe(meaning);
});
