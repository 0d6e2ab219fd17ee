import { expect, it } from "vitest";
import type { Hit, ListedWorkload } from "@/shared/api/types";
import { aWorkload } from "@/testing/factories";
import { actsFor, objectOf, readCommand, VERBS } from "./commands";

const CHINESE = { open: "打开", stop: "停止", drain: "排空" };
const read = (text: string, verbs = VERBS) => readCommand(text, verbs, CHINESE);

it("reads a verb in English and in the reader's language", () => {
  expect(read("drain gpu-1")).toEqual({ verb: "drain", rest: "gpu-1" });
  expect(read(" Stop  night run ")).toEqual({ verb: "stop", rest: "night run" });
  expect(read("排空gpu-1")).toEqual({ verb: "drain", rest: "gpu-1" });
  expect(read("停止 夜间")).toEqual({ verb: "stop", rest: "夜间" });
  expect(read("open")).toEqual({ verb: "open", rest: "" });
});

it("takes a name that only begins like a verb for a name, and a verb of others, too", () => {
  expect(read("stopwatch")).toEqual({ verb: null, rest: "stopwatch" });
  expect(read("drain-test")).toEqual({ verb: null, rest: "drain-test" });
  expect(readCommand("drain gpu-1", ["open", "stop"], CHINESE)).toEqual({
    verb: null,
    rest: "drain gpu-1",
  });
});

it("offers what may be done, by what the server allows", () => {
  const node = (name: string, state: string): Hit => ({
    kind: "node",
    id: name,
    name,
    detail: "",
    state,
    array: null,
  });
  const hits = [
    node("gpu-1", "ready"),
    node("gpu-2", "drained"),
    { ...node("x", ""), kind: "image" as const },
  ];
  const work = (name: string, actions: ListedWorkload["actions"], is_ready = false) =>
    ({ ...aWorkload({ name, is_ready }), actions }) as ListedWorkload;
  const works = [work("mine", ["cancel"]), work("of others", []), work("ready", [], true)];
  const names = (text: string) => actsFor(read(text), hits, works).map(objectOf);
  expect(names("drain gpu")).toEqual(["gpu-1"]);
  expect(names("stop m")).toEqual(["mine"]);
  expect(names("open r")).toEqual(["ready"]);
  expect(names("gpu")).toEqual([]);
});
