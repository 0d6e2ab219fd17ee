import { expect, it } from "vitest";
import { anImageSave, aSavedImage } from "@/testing/factories";
import {
  isUnderWay,
  newImageForm,
  pushedPct,
  SAVED_IMAGE_NAME,
  savedImageForm,
  savedImageInput,
} from "./saved-image";

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
