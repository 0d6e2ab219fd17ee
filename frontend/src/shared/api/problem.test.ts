import { describe, expect, it } from "vitest";
import {
  fieldErrorsOf,
  isRetryable,
  namePathOf,
  ProblemError,
  problemOf,
  readProblem,
} from "./problem";

describe("readProblem", () => {
  it("keeps code, numbers, faults and the request id", () => {
    const problem = readProblem(
      422,
      {
        code: "never_fits",
        params: { most: 8 },
        detail: "Too large",
        errors: [{ pointer: "/gpus", code: "too_large", params: {}, detail: "Enter 8 or less." }],
        request_id: "r-1",
      },
      "",
    );
    expect(problem).toMatchObject({ code: "never_fits", params: { most: 8 }, requestId: "r-1" });
    expect(problem.errors[0]?.pointer).toBe("/gpus");
  });

  it("makes a problem of answers that are none", () => {
    expect(readProblem(502, "<html>", "r-2")).toMatchObject({ code: "http_502", requestId: "r-2" });
    expect(readProblem(500, null, "").errors).toEqual([]);
  });
});

it("repeats what the network or the server failed at, never what it refused", () => {
  const refused = new ProblemError(readProblem(422, { code: "never_fits" }, ""));
  const failed = new ProblemError(readProblem(503, { code: "busy" }, ""));
  expect(isRetryable(refused)).toBe(false);
  expect(isRetryable(failed)).toBe(true);
  expect(isRetryable(new TypeError("fetch failed"))).toBe(true);
  expect(problemOf(new TypeError("fetch failed")).code).toBe("unreachable");
  expect(isRetryable(new TypeError("undefined is not a function"))).toBe(false);
});

it.each([
  "Failed to fetch dynamically imported module: /assets/new.js",
  "error loading dynamically imported module",
  "Importing a module script failed.",
  "Unable to preload CSS for /assets/new.css",
])("takes code that could not be had for a matter of the network: %s", (message) => {
  expect(problemOf(new Error(message)).code).toBe("unreachable");
});

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
