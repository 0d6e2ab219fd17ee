import { expect, it } from "vitest";
import { fieldErrorsOf, namePathOf } from "./field-faults";
import { readProblem } from "./problem";

it("finds the field of a pointer, through lists too", () => {
  expect(namePathOf("/lending/windows/0/start")).toEqual(["lending", "windows", 0, "start"]);
  expect(namePathOf("/a~1b/c~0d")).toEqual(["a/b", "c~d"]);
});

it("gathers what the server says about each field, and leaves the rest to the page", () => {
  const problem = readProblem(
    400,
    {
      errors: [
        { pointer: "/grace_s", code: "too_small", detail: "Enter 0 or more." },
        { pointer: "/grace_s", code: "odd", detail: "" },
        { pointer: "", code: "whole", detail: "The whole is wrong." },
      ],
    },
    "",
  );
  expect(fieldErrorsOf(problem)).toEqual([
    { name: ["grace_s"], errors: ["Enter 0 or more.", "odd"] },
  ]);
});
