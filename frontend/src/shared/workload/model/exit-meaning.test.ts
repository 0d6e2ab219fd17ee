import { expect, it } from "vitest";
import { exitMeaning } from "./exit-meaning";

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
