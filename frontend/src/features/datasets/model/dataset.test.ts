import { expect, test } from "vitest";
import type { Publication } from "@/shared/api/types";
import {
  DATASET_NAME,
  datasetForm,
  datasetInput,
  isBelow,
  NEW_DATASET,
  publicationInput,
  publishedPercent,
  sourceOf,
  toldPublications,
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
  owner: null,
  may_manage: true,
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

test("an admin of its group does not decide who else reads it", () => {
  const sent = datasetInput(datasetForm(DATASET), false);
  expect([sent.description, sent.groups, sent.is_for_everybody]).toEqual([
    "Photos",
    undefined,
    undefined,
  ]);
});

test("a folder becomes a version of a data set that is there, or of a new one", () => {
  const folder = { volume: "volume-1", path: "faces" };
  expect(publicationInput(folder, { dataset: "faces", name: "forgotten" })).toEqual({
    ...folder,
    dataset: "faces",
    alias: "",
    note: "",
  });
  const wish = { dataset: NEW_DATASET, name: "faces", group: "group-1", alias: "clean" };
  expect(publicationInput({ job: "job-1" }, wish)).toEqual({
    job: "job-1",
    dataset: "faces",
    group: "group-1",
    description: "",
    alias: "clean",
    note: "",
  });
});

test("what is told of publications: those under way, and a failure until the next one", () => {
  const of = (state: Publication["state"]) => ({ state }) as Publication;
  expect(toldPublications([of("failed"), of("failed"), of("done")]).length).toBe(1);
  expect(toldPublications([of("done"), of("failed")])).toEqual([]);
  expect(toldPublications([of("waiting"), of("failed")])).toEqual([of("waiting")]);
  const sizes = (bytes_total: number | null, bytes_done: number) =>
    publishedPercent({ bytes_total, bytes_done } as Publication);
  expect([sizes(null, 0), sizes(0, 0), sizes(3, 2), sizes(2, 3)]).toEqual([0, 100, 66, 100]);
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
    place: "nodes" as const,
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

test("the slash at the end of a prefix is left out", () => {
  const form = { volume: "volume-1", store: "lab", path: " /faces/clean/ " };
  expect(sourceOf({ ...form, source: "store" })).toEqual({ store: "lab", path: "faces/clean" });
  expect(sourceOf(form)).toEqual({ volume: "volume-1", path: "faces/clean" });
});
