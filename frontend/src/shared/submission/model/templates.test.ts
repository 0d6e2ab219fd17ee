import { expect, it } from "vitest";
import type { Template } from "@/shared/api/types";
import { aWorkload } from "@/testing/factories";
import {
  boundsOf,
  lastConfigurations,
  narrowed,
  ownerOf,
  rangeRows,
  settingsOf,
  settingWords,
  withTemplate,
} from "./templates";

const template: Template = {
  id: "t1",
  kind: "training",
  scope: "group",
  group: { id: "g1", name: "vision", title_en: "Vision", title_zh: "Vision" },
  name: "Small",
  description: "",
  settings: { image: "pytorch", gpus: 1, env: { A: "1" }, memory_mib: 1500 },
  locked: ["image", "memory_mib"],
  ranges: { gpus: { min: 1, max: 2 }, cpu_milli: { max: 2000 } },
  version: 3,
  changed_at: "2026-01-01T00:00:00Z",
  changed_by: null,
  may_change: false,
};

it("leaves what is locked to the server, and takes away what the form took away", () => {
  const body = { name: "train", image: "other", slices: 2, memory_mib: 2048 };
  expect(withTemplate(body, template)).toEqual({
    name: "train",
    slices: 2,
    gpus: null,
    env: null,
    template: "t1",
  });
  expect(withTemplate(body, null)).toBe(body);
});

it("keeps what belongs to one submission out of a template", () => {
  const body = {
    name: "train",
    gpus: 1,
    held: true,
    not_before: "x",
    dependencies: [],
    array: "0",
  };
  expect(settingsOf(body)).toEqual({ gpus: 1 });
});

it("narrows the bounds of a number, in the units of the form", () => {
  expect(narrowed("gpus", { min: 1, max: 8 }, template.ranges)).toEqual({ min: 1, max: 2 });
  expect(narrowed("cpu", { min: 0.5, max: 64 }, template.ranges)).toEqual({ min: 0.5, max: 2 });
  expect(narrowed("replicas", { min: 1, max: 4 }, template.ranges)).toEqual({ min: 1, max: 4 });
  const limit = { time_limit_s: { max: 7200 } };
  expect(narrowed("time_limit_s", { min: 0, max: 9999 }, limit)).toEqual({ min: 0, max: 7200 });
});

it("writes ranges in the units of forms, and drops empty ones", () => {
  expect(rangeRows(template.ranges)).toEqual({ gpus: { min: 1, max: 2 }, cpu_milli: { max: 2 } });
  expect(boundsOf({ cpu_milli: { max: 0.5, min: null }, gpus: {}, slices: undefined })).toEqual({
    cpu_milli: { max: 500 },
  });
});

it("says a setting in few words, and no value of a variable", () => {
  expect(settingWords("cpu_milli", 1500)).toBe("1.5");
  expect(settingWords("env", { HUB: "canary" })).toBe("HUB");
  expect(settingWords("secrets", [{ name: "hub", target: "X" }])).toBe("hub");
  expect(settingWords("script", "x".repeat(100))).toHaveLength(61);
  expect(settingWords("home", false)).toBe("✗");
});

it("names the owner as the server does", () => {
  expect(ownerOf("user")).toEqual({ scope: "user" });
  expect(ownerOf("platform")).toEqual({ scope: "platform" });
  expect(ownerOf("g1")).toEqual({ scope: "group", group: "g1" });
});

it("offers the last five different configurations", () => {
  const works = [1, 1, 2, 3, 3, 4, 5, 6].map((gpus, at) => aWorkload({ id: String(at), gpus }));
  expect(lastConfigurations(works).map(({ gpus }) => gpus)).toEqual([1, 2, 3, 4, 5]);
});
