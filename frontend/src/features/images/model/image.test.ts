import { expect, it } from "vitest";
import { anImage } from "@/testing/factories";
import { anImageSave, aSavedImage } from "@/testing/images";
import {
  chosenImages,
  IMAGE_NAME,
  IMAGE_REFERENCE,
  imageChange,
  imageForm,
  imageInput,
  isUnderWay,
  newImageForm,
  pushedPct,
  readImageFilters,
  SAVED_IMAGE_NAME,
  savedImageForm,
  savedImageInput,
} from "./image";

it("an image comes back from its form as it was, and its name stays when it is changed", () => {
  const image = anImage({ reference: "berth/python:1" });
  const { id: _id, is_active: _isActive, version: _version, ...rest } = image;
  expect(imageInput(imageForm({ ...image, is_active: false }))).toEqual(rest);
  const { name: _name, ...change } = rest;
  const form = { ...imageForm(anImage(rest)), title_en: " Python " };
  expect(imageChange(imageInput(form))).toEqual({ ...change, title_en: "Python" });
});

it("names and references are checked as the server does", () => {
  expect(["torch-2.9", "jupyter_x"].every((name) => IMAGE_NAME.test(name))).toBe(true);
  expect(["", "Upper", "-x", "a/b", "a b"].some((name) => IMAGE_NAME.test(name))).toBe(false);
  const digest = `registry.example.org:5000/ml/torch:2.9@sha256:${"a".repeat(64)}`;
  expect(["python", digest].every((reference) => IMAGE_REFERENCE.test(reference))).toBe(true);
  for (const wrong of ["", "-v", "a b", "$(x)", "x".repeat(301)])
    expect(IMAGE_REFERENCE.test(wrong)).toBe(false);
});

it.each([
  ["My Lab", "my-lab"],
  ["_hidden", "hidden"],
  ["x".repeat(63), "x".repeat(30)],
])("makes a name of %s that the server takes", (notebook, name) => {
  expect(newImageForm(notebook).name).toBe(name);
  expect(SAVED_IMAGE_NAME.test(name)).toBe(true);
});

it("leaves the name to its reader where nothing of the notebook's can be used", () => {
  expect(newImageForm("分析").name).toBe("");
});

it("edits the part of the name that is the image's own", () => {
  expect(savedImageForm(aSavedImage()).name).toBe("fixed");
  const form = { name: "fixed", note: " new ", is_shared: true };
  expect(savedImageInput(form)).toEqual({ name: "fixed", note: "new", is_shared: true });
});

it("knows how far a push is only when its size is known", () => {
  expect(pushedPct(anImageSave({ state: "pushing" }))).toBeNull();
  expect(pushedPct(anImageSave({ done_bytes: 1, total_bytes: 3 }))).toBe(33);
  expect(isUnderWay(anImageSave({ state: "committing" }))).toBe(true);
  expect(isUnderWay(anImageSave({ state: "cancelled" }))).toBe(false);
  expect(isUnderWay(null)).toBe(false);
});

it("narrows the platform's images to what the address says", () => {
  const lab = anImage({ name: "lab", title_zh: "实验室", for_training: false });
  const torch = anImage({ name: "torch", reference: "berth/torch:2", for_environments: false });
  const old = anImage({ name: "old", is_active: false });
  const namesOf = (search: Record<string, unknown>) =>
    chosenImages([lab, torch, old], readImageFilters(search)).map(({ name }) => name);
  expect(namesOf({})).toEqual(["lab", "torch", "old"]);
  expect(namesOf({ find: "实验" })).toEqual(["lab"]);
  expect(namesOf({ find: "Berth/TORCH" })).toEqual(["torch"]);
  expect(namesOf({ use: "notebooks" })).toEqual(["lab", "old"]);
  expect(namesOf({ use: "jobs", state: "offered" })).toEqual(["torch"]);
  expect(namesOf({ find: 7, use: "elsewhere", state: [] })).toEqual(["lab", "torch", "old"]);
});
