import { describe, expect, it, test } from "vitest";
import {
  areExitCodes,
  isPast,
  type JobFormValues,
  jobDraft,
  jobInput,
  passesSignal,
  restartOf,
  stemOf,
} from "./job-form";

const form: JobFormValues = {
  name: " nightly ",
  group: "vision",
  pool: "training",
  image: "python",
  way: "command",
  command: "python train.py",
  script: "not this",
  env: [{ name: "LR", value: "0.1" }, {}],
  gpus: 2,
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
    expect(jobDraft(form)).toMatchObject({ kind: "training", gpus: 2 });
    const { gpus: _, ...incomplete } = form;
    expect(jobDraft(incomplete)).toBeNull();
  });
});

const chosen = (fields: Partial<JobFormValues>) => restartOf(fields as JobFormValues);

test("the product's default is sent as its rule alone", () => {
  expect(chosen({})).toEqual({ retries_max: 0, restart: { rule: "on_infrastructure" } });
});

test("what has no use under a rule is not sent", () => {
  const all = { retries_max: 3, pause_minutes: 2, final_codes: ["2"], after_out_of_memory: true };
  expect(chosen({ ...all, restart_rule: "never" })).toEqual({
    retries_max: 0,
    restart: { rule: "never" },
  });
  expect(chosen({ ...all, restart_rule: "on_infrastructure" })).toEqual({
    retries_max: 0,
    restart: { rule: "on_infrastructure", pause_s: 120 },
  });
  expect(chosen({ ...all, restart_rule: "on_failure", free_codes: ["75", "075"] })).toEqual({
    retries_max: 3,
    restart: {
      rule: "on_failure",
      pause_s: 120,
      final_codes: [2],
      free_codes: [75],
      after_out_of_memory: true,
    },
  });
});

test("a launcher passes on SIGTERM or nothing", () => {
  expect(passesSignal("plain", "SIGUSR1")).toBe(true);
  expect(passesSignal("torchrun", "SIGTERM")).toBe(true);
  expect(passesSignal("torchrun", "SIGUSR1")).toBe(false);
});

test("exit codes are those of a bad end", () => {
  expect(areExitCodes(["1", "255"])).toBe(true);
  for (const wrong of ["0", "256", "-1", "a"]) expect(areExitCodes([wrong])).toBe(false);
});

it.each([
  [{ way: "file", file: "lab/my study.ipynb" }, "my-study"],
  [{ way: "command", command: "python3 src/train.py --epochs 3" }, "train"],
  [{ way: "command", command: "python -m torch.distributed.run x" }, "torch.distributed.run"],
  [{ way: "script", script: "cd /x\npython 'a b.py'" }, "b"],
  [{ way: "script", script: "echo hello" }, "job"],
  [{ way: "file" }, "job"],
] as const)("names a job after what it runs: %j", (values, stem) => {
  expect(stemOf(values)).toBe(stem);
});
