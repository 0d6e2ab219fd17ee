import { expect, test } from "vitest";
import { anImage } from "@/testing/factories";
import { IMAGE_NAME, IMAGE_REFERENCE, imageChange, imageForm, imageInput } from "./image";

test("an image comes back from its form as it was, and its name stays when it is changed", () => {
  const { id: _id, is_active: _isActive, ...rest } = anImage({ reference: "berth/python:1" });
  expect(imageInput(imageForm({ ...rest, id: "image-1", is_active: false }))).toEqual(rest);
  const { name: _name, ...change } = rest;
  const form = { ...imageForm(anImage(rest)), title_en: " Python " };
  expect(imageChange(imageInput(form))).toEqual({ ...change, title_en: "Python" });
});

test("names and references are checked as the server does", () => {
  expect(["torch-2.9", "jupyter_x"].every((name) => IMAGE_NAME.test(name))).toBe(true);
  expect(["", "Upper", "-x", "a/b", "a b"].some((name) => IMAGE_NAME.test(name))).toBe(false);
  const digest = `registry.example.org:5000/ml/torch:2.9@sha256:${"a".repeat(64)}`;
  expect(["python", digest].every((reference) => IMAGE_REFERENCE.test(reference))).toBe(true);
  for (const wrong of ["", "-v", "a b", "$(x)", "x".repeat(301)])
    expect(IMAGE_REFERENCE.test(wrong)).toBe(false);
});
