import { describe, expect, it } from "vitest";
import { startStep } from "./start-step";

const at = (detail: string, progress_pct: number | null = null, epoch = 2) => ({
  epoch,
  phase: "starting",
  detail,
  progress_pct,
});

describe("startStep", () => {
  it("tells the step and how far it has come", () => {
    const found = startStep({ state: "starting", epoch: 2, allocations: [at("pulling", 42)] });
    expect(found).toEqual({ name: "pulling", percent: 42 });
  });

  it("tells of the replica that is furthest behind", () => {
    const allocations = [at("starting"), at("pulling", 60), at("pulling", 20), at("creating")];
    expect(startStep({ state: "starting", epoch: 2, allocations })).toEqual({
      name: "pulling",
      percent: 20,
    });
  });

  it("leaves earlier attempts and unknown words out", () => {
    const allocations = [at("pulling", 5, 1), at("something_new")];
    expect(startStep({ state: "starting", epoch: 2, allocations })).toBeNull();
  });

  it("has nothing to tell of work that does not start", () => {
    const allocations = [at("pulling", 5)];
    expect(startStep({ state: "running", epoch: 2, allocations })).toBeNull();
  });
});
