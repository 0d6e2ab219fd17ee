import { describe, expect, it } from "vitest";
import { isPast, type JobForm, jobDraft, jobInput } from "./draft";

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
  preemptible: true,
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

  it("sends until when the priority holds, unless it is an ordinary one", () => {
    const until = { ...form, priority_until: "2026-03-06T18:00" };
    expect(jobInput(until).priority_until).toBe(new Date(2026, 2, 6, 18).toISOString());
    expect(jobInput({ ...until, priority: "normal" })).not.toHaveProperty("priority_until");
  });

  it("takes no priority that has ended", () => {
    const now = new Date(2026, 2, 6, 18);
    expect(isPast("2026-03-06T17:59", now)).toBe(true);
    expect(isPast("2026-03-06T18:01", now)).toBe(false);
    expect(isPast(undefined, now)).toBe(false);
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
