import { expect, test } from "vitest";
import { DATASET_NAME, datasetForm, datasetInput, isBelow } from "./dataset";

const DATASET = {
  id: "dataset-1",
  name: "imagenet",
  description: "Photos",
  is_for_everybody: false,
  path: "vision/imagenet",
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
