import { describe, expect, it } from "vitest";
import { type JobForm, jobDraft, jobInput } from "./draft";

const form: JobForm = {
  name: " nightly ",
  group: "vision",
  pool: "training",
  image: "python",
  way: "command",
  command: "python train.py",
  script: "not this",
  env: [{ name: "LR", value: "0.1" }, {}],
  cards: 2,
  replicas: 1,
  cpu: 0.5,
  memory_gib: 16,
  time_limit_s: 3600,
  priority: "high",
  retries_max: 1,
};

describe("a job form", () => {
  it("sends the chosen way of running only, in the server's units", () => {
    const input = jobInput(form);
    expect(input).toMatchObject({
      name: "nightly",
      command: ["python", "train.py"],
      cpu_milli: 500,
      memory_mib: 16_384,
      env: { LR: "0.1" },
    });
    expect(input.script).toBeUndefined();
  });

  it("sends no empty environment", () => {
    expect(jobInput({ ...form, env: [] })).not.toHaveProperty("env");
  });

  it("asks the scheduler only when every number is there", () => {
    expect(jobDraft(form)).toMatchObject({ kind: "training", cards: 2 });
    const { cards: _, ...incomplete } = form;
    expect(jobDraft(incomplete)).toBeNull();
  });
});
