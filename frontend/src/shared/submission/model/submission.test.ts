import { describe, expect, it } from "vitest";
import { anImage, aPool } from "@/testing/factories";
import { imagesFor, poolsFor } from "./choices";
import { curlOf } from "./curl";
import { defaultName } from "./default-name";
import { IdempotencyKeys } from "./idempotency-key";
import { timeLimitsOf } from "./time-limits";

describe("choices", () => {
  it("offers every open pool, first those that are there for this kind of work", () => {
    const shared = aPool();
    const exclusive = aPool({ id: "2", mode: "exclusive", purpose: "training" });
    const closed = aPool({ id: "3", is_open: false });
    expect(poolsFor("environment", [exclusive, shared, closed])).toEqual([shared, exclusive]);
    expect(poolsFor("training", [shared, exclusive, closed])).toEqual([exclusive, shared]);
  });

  it("offers only images that serve the kind of work", () => {
    expect(imagesFor("environment", [anImage({ for_environments: false })])).toEqual([]);
  });
});

it("offers time limits up to the pool's maximum, its default among them", () => {
  const limits = timeLimitsOf({ default_time_limit_s: 5400, time_limit_s_max: 14_400 });
  expect(limits).toEqual([3600, 5400, 7200, 14_400]);
});

it("names new work by the minute", () => {
  expect(defaultName("job", new Date(2026, 2, 1, 9, 5))).toBe("job-0301-0905");
});

it("keeps one idempotency key per content", () => {
  const keys = new IdempotencyKeys();
  const first = keys.for({ name: "a" });
  expect(keys.for({ name: "a" })).toBe(first);
  expect(keys.for({ name: "b" })).not.toBe(first);
});

it("quotes what a shell would otherwise read", () => {
  const command = curlOf("http://portal", "/api/v1/jobs", { script: "echo 'hi' $X" });
  expect(command).toContain(`echo '\\''hi'\\'' $X`);
});
