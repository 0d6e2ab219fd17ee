import { expect, test } from "vitest";
import { anImage } from "@/testing/factories";
import { changeOf, formOf, inputOf, NAME, REFERENCE } from "./form";

test("an image comes back from its form as it was, and its name stays when it is changed", () => {
  const { id: _id, is_active: _isActive, ...rest } = anImage({ reference: "berth/python:1" });
  expect(inputOf(formOf({ ...rest, id: "image-1", is_active: false }))).toEqual(rest);
  const { name: _name, ...change } = rest;
  expect(changeOf({ ...formOf(anImage(rest)), title_en: " Python " })).toEqual({
    ...change,
    title_en: "Python",
  });
});

test("names and references are checked as the server does", () => {
  expect(["torch-2.9", "jupyter_x"].every((name) => NAME.test(name))).toBe(true);
  expect(["", "Upper", "-x", "a/b", "a b"].some((name) => NAME.test(name))).toBe(false);
  const digest = `registry.example.org:5000/ml/torch:2.9@sha256:${"a".repeat(64)}`;
  expect(["python", digest].every((reference) => REFERENCE.test(reference))).toBe(true);
  for (const wrong of ["", "-v", "a b", "$(x)", "x".repeat(301)])
    expect(REFERENCE.test(wrong)).toBe(false);
});
