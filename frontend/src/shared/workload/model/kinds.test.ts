import { expect, it } from "vitest";
import { KINDS } from "@/shared/api/kinds.gen";
import { formRouteOf, routeOf, SUBMITTED_KINDS, submittedKind } from "./kinds";

it("offers each kind that has a form, jobs first", () => {
  expect(SUBMITTED_KINDS.map(formRouteOf)).toEqual(["/jobs/new", "/notebooks/new"]);
});

it("leads to the pages of each kind, of one that it does not know to those of jobs", () => {
  expect([...Object.keys(KINDS), "new"].map(routeOf)).toEqual([
    "/notebooks/$id",
    "/jobs/$id",
    "/apps/$id",
    "/replicas/$id",
    "/jobs/$id",
  ]);
});

it("takes what has no form for a job", () => {
  expect(Object.keys(KINDS).map((kind) => submittedKind({ kind }))).toEqual([
    "environment",
    "training",
    "training",
    "training",
  ]);
});
