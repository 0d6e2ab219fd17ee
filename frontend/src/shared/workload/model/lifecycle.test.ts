import { describe, expect, it } from "vitest";
import { earlierAttempts, startStep, stepsOf } from "./lifecycle";

const at = (second: number) => new Date(1_767_225_600_000 + second * 1000).toISOString();
const statuses = (way: Parameters<typeof stepsOf>[0]) => stepsOf(way).map(({ status }) => status);

describe("stepsOf", () => {
  it("shows a starting notebook between what is done and what is ahead", () => {
    const steps = stepsOf({
      kind: "environment",
      state: "starting",
      timeline: [
        { step: "queued", at: at(0) },
        { step: "placing", at: at(2) },
        { step: "starting", at: at(3) },
      ],
    });
    expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "queued done",
      "placing done",
      "starting current",
      "ready ahead",
    ]);
    expect(steps[0]).toMatchObject({ at: at(0), until: at(2) });
  });

  it("ends a job well or badly at its last step", () => {
    const timeline = [{ step: "queued" as const, at: at(0) }];
    expect(statuses({ kind: "training", state: "succeeded", timeline }).at(-1)).toBe("done");
    expect(statuses({ kind: "training", state: "failed", timeline }).at(-1)).toBe("failed");
  });

  it("does not claim steps that a cancelled job never reached", () => {
    const timeline = [
      { step: "queued" as const, at: at(0) },
      { step: "ended" as const, at: at(9) },
    ];
    expect(statuses({ kind: "training", state: "cancelled", timeline })).toEqual([
      "done",
      "ahead",
      "ahead",
      "ahead",
      "stopped",
    ]);
  });

  it("does not claim that a program ran which could not be started", () => {
    const timeline = (["queued", "placing", "starting", "running", "ended"] as const).map(
      (step, second) => ({ step, at: at(second) }),
    );
    const way = { kind: "training", state: "failed" as const, timeline };
    expect(statuses({ ...way, cause: "start_failed" })).toEqual([
      "done",
      "done",
      "failed",
      "ahead",
      "failed",
    ]);
    expect(statuses({ ...way, cause: "exited" }).slice(2)).toEqual(["done", "done", "failed"]);
  });

  it("knows by its exit code that a program ran which ended before its node told of it", () => {
    const timeline = (["queued", "placing", "starting", "ended"] as const).map((step, second) => ({
      step,
      at: at(second),
    }));
    const way = { kind: "training", state: "failed" as const, exit_code: 3, timeline };
    expect(statuses({ ...way, cause: "exited" })).toEqual([
      "done",
      "done",
      "done",
      "done",
      "failed",
    ]);
    expect(statuses({ ...way, cause: "start_failed" }).slice(2)).toEqual([
      "failed",
      "ahead",
      "failed",
    ]);
    expect(statuses({ ...way, cause: "node_lost", exit_code: null })[3]).toBe("ahead");
  });

  it("counts the latest passage of requeued work", () => {
    const [queued] = stepsOf({
      kind: "training",
      state: "queued",
      timeline: [
        { step: "queued", at: at(0) },
        { step: "placing", at: at(5) },
        { step: "queued", at: at(60) },
      ],
    });
    expect(queued).toMatchObject({ status: "current", at: at(60) });
  });
});

const startingAt = (detail: string, progress_pct: number | null = null, epoch = 2) => ({
  epoch,
  phase: "starting",
  detail,
  progress_pct,
});

describe("startStep", () => {
  it("tells the step and how far it has come", () => {
    const found = startStep({
      state: "starting",
      epoch: 2,
      allocations: [startingAt("pulling", 42)],
    });
    expect(found).toEqual({ name: "pulling", reason: "", percent: 42 });
  });

  it("tells of the replica that is furthest behind", () => {
    const allocations = [
      startingAt("starting"),
      startingAt("pulling", 60),
      startingAt("pulling", 20),
      startingAt("creating"),
    ];
    expect(startStep({ state: "starting", epoch: 2, allocations })).toEqual({
      name: "pulling",
      reason: "",
      percent: 20,
    });
  });

  it("tells why work waits in the queue of another scheduler", () => {
    const allocations = [startingAt("foreign_queue: priority"), startingAt("starting")];
    expect(startStep({ state: "starting", epoch: 2, allocations })).toEqual({
      name: "foreign_queue",
      reason: "priority",
      percent: null,
    });
  });

  it("leaves earlier attempts and unknown words out", () => {
    const allocations = [startingAt("pulling", 5, 1), startingAt("something_new")];
    expect(startStep({ state: "starting", epoch: 2, allocations })).toBeNull();
  });

  it("has nothing to tell of work that does not start", () => {
    const allocations = [startingAt("pulling", 5)];
    expect(startStep({ state: "running", epoch: 2, allocations })).toBeNull();
  });
});

describe("earlierAttempts", () => {
  it("lists each attempt before the present one, with how it was left", () => {
    const way = [
      [1, "queued", "placing", ""],
      [1, "placing", "starting", ""],
      [1, "starting", "running", ""],
      [1, "running", "queued", "preempted"],
      [2, "queued", "placing", ""],
      [2, "placing", "queued", "start_failed"],
      [3, "queued", "placing", ""],
      [3, "placing", "running", ""],
    ] as const;
    const events = way.map(([epoch, from_state, to_state, cause], second) => ({
      ...{ id: second, at: at(second), epoch, from_state, to_state, cause, params: {} },
      ...{ actor_kind: "system", actor_name: "scheduler" },
    }));
    expect(earlierAttempts(events.toReversed() as never, 3)).toEqual([
      { number: 1, since: at(0), until: at(3), cause: "preempted" },
      { number: 2, since: at(4), until: at(5), cause: "start_failed" },
    ]);
  });
});
