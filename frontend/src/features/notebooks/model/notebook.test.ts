import { expect, it } from "vitest";
import type { WorkloadDetail } from "@/shared/api/types";
import { minutesUntil } from "@/shared/ui/time";
import { idleNews, readStartSearch } from "./notebook";

type Idle = NonNullable<WorkloadDetail["idle"]>;

const used: Idle = {
  active_at: "2026-01-01T10:00:00Z",
  signal: "kernel",
  idle_since: null,
  next: "release",
  next_at: "2026-01-01T12:00:00Z",
  is_warned: false,
  keeps_left: 4,
  keep_s: 3600,
  gpu_state: "held",
  gpus_released_at: null,
  position: null,
  reasons: [],
  may_restart: false,
};

it("says nothing of a notebook that is used", () => {
  expect(idleNews(used)).toBeNull();
});

it("says what comes before what has been", () => {
  expect(idleNews({ ...used, is_warned: true })).toBe("warned");
  expect(idleNews({ ...used, gpu_state: "released" })).toBe("released");
  expect(idleNews({ ...used, gpu_state: "released", next: "stop", is_warned: true })).toBe(
    "warned",
  );
  expect(idleNews({ ...used, gpu_state: "requested" })).toBe("requested");
});

it("counts down in whole minutes and stops at none", () => {
  expect(minutesUntil("2026-01-01T12:00:00Z", new Date("2026-01-01T11:30:30Z"))).toBe(30);
  expect(minutesUntil("2026-01-01T12:00:00Z", new Date("2026-01-01T12:30:00Z"))).toBe(0);
});

it("reads where a reader came from, and nothing else", () => {
  expect(readStartSearch({ start: "lab" })).toEqual({ start: "lab" });
  expect(readStartSearch({ start: 6006 })).toEqual({ start: 6006 });
  for (const start of [undefined, "", "//x.example", 0, 70_000, 1.5]) {
    expect(readStartSearch({ start })).toEqual({});
  }
});
