import { describe, expect, it } from "vitest";
import { changedDevices, changesOf } from "./ways-out";

describe("changesOf", () => {
  it("keeps what can be changed and drops everything else", () => {
    const given = { gpus: 4, pool: "spare", preemptible: true, time_limit_s: 600, script: "rm" };
    expect(changesOf(given)).toEqual({
      gpus: 4,
      pool: "spare",
      preemptible: true,
      time_limit_s: 600,
    });
  });

  it("drops values without a sense", () => {
    expect(
      changesOf({ gpus: -1, replicas: 1.5, slices: "2", pool: 3, preemptible: "yes" }),
    ).toEqual({});
  });
});

describe("changedDevices", () => {
  it("puts the change over what was asked for", () => {
    const asked = { gpus: 8, slices: 0, replicas: 2 };
    expect(changedDevices(asked, { gpus: 5 })).toEqual({ gpus: 5, slices: 0, replicas: 2 });
    expect(changedDevices(asked, { pool: "spare" })).toEqual(asked);
  });
});
