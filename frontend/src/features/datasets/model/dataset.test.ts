import { expect, test } from "vitest";
import {
  DATASET_NAME,
  datasetForm,
  datasetInput,
  isBelow,
  VERSION_ALIAS,
  versionForm,
  versionInput,
} from "./dataset";

const AT = "2026-03-01T09:00:00Z";
const DATASET = {
  id: "dataset-1",
  name: "imagenet",
  description: "Photos",
  is_for_everybody: false,
  path: "vision/imagenet",
  newest: 1,
  usable: [{ number: 1, alias: "", note: "", created_at: AT }],
  workloads: 0,
  missing_on: [],
  groups: [{ id: "group-1", name: "vision", title_en: "Vision", title_zh: "Vision" }],
};

test("a data set comes back from its form as it was", () => {
  expect(datasetInput(datasetForm(DATASET))).toEqual({
    name: "imagenet",
    description: "Photos",
    path: "vision/imagenet",
    is_for_everybody: false,
    groups: ["group-1"],
  });
});

test("what everybody reads keeps its groups for later", () => {
  const sent = datasetInput({ ...datasetForm(DATASET), readers: "everybody" });
  expect([sent.is_for_everybody, sent.groups]).toEqual([true, ["group-1"]]);
});

test("names and paths are checked as the server does", () => {
  expect(["imagenet", "coco-2017", "v1.0_x"].every((name) => DATASET_NAME.test(name))).toBe(true);
  expect(["", "Upper", "-x", "a/b", "a b"].some((name) => DATASET_NAME.test(name))).toBe(false);
  expect(isBelow("vision/imagenet")).toBe(true);
  for (const wrong of ["", "/etc", "a//b", "../x", "a/./b", "a\\b"])
    expect(isBelow(wrong)).toBe(false);
});

test("a version comes back from its form as it was, and aliases are no numbers", () => {
  const version = {
    number: 2,
    alias: "clean",
    note: "without doubles",
    state: "ready" as const,
    created_at: AT,
    made_by: null,
    size_bytes: null,
    file_count: null,
    changed_at: null,
    path: "vision/2",
    workloads: 0,
    missing_on: [],
  };
  expect(versionInput(versionForm(version))).toEqual({
    path: "vision/2",
    alias: "clean",
    note: "without doubles",
  });
  expect(versionInput({ path: "x" })).toEqual({ path: "x", alias: "", note: "" });
  expect(["clean", "v2.1"].every((alias) => VERSION_ALIAS.test(alias))).toBe(true);
  expect(["2", "latest", "Clean", "a b"].some((alias) => VERSION_ALIAS.test(alias))).toBe(false);
});
