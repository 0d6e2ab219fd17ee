import { expect, test } from "vitest";
import type { JobForm } from "./draft";
import { areExitCodes, passesSignal, restartOf } from "./restart";

const chosen = (fields: Partial<JobForm>) => restartOf(fields as JobForm);

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
