import { describe, expect, it, test } from "vitest";
import { anImage, aPool } from "@/testing/factories";
import {
  arePorts,
  curlOf,
  defaultName,
  IdempotencyKeys,
  imagesFor,
  namesOfPorts,
  poolsFor,
  portsOf,
  type SubmissionValues,
  submissionInput,
  timeLimitsOf,
  valuesLike,
} from "./submission";

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

  it("begins with an image of the platform, not with one that somebody has shared", () => {
    const saved = anImage({ id: "saved-1", name: "li.wei/fixed", for_environments: true });
    const ours = anImage({ for_environments: true });
    expect(imagesFor("environment", [saved, ours])).toEqual([ours, saved]);
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

const group = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "Vision" };
const offered = {
  group: "vision",
  groups: [group],
  pools: [aPool()],
  images: [anImage()],
} as const;

it.each([
  { gpus: 0, cpu_milli: 100, memory_mib: 64 },
  { gpus: 0, cpu_milli: 250, memory_mib: 256 },
  { slices: 2, cpu_milli: 4000, memory_mib: 1500 },
])("takes amounts back as they were: %o", (amounts) => {
  const places = { name: "again", group: "vision", pool: "development", image: "python" };
  const body = { ...places, ...amounts, time_limit_s: 3600 };
  const form = { name: "again", ...valuesLike(body, offered) } as SubmissionValues;
  expect(submissionInput(form)).toEqual(body);
});

test("a port may have a name, which comes back into the form", () => {
  const typed = ["8501=My board", "6006", "08080= "];
  expect(arePorts(typed)).toBe(true);
  expect(portsOf(typed)).toEqual([6006, 8080, 8501]);
  expect(namesOfPorts(typed)).toEqual({ 8501: "My board" });
  expect(namesOfPorts(["6006"])).toBeUndefined();
  const body = { ports: [6006, 8501], port_names: { 8501: "My board" } };
  expect(valuesLike(body, offered).ports).toEqual(["6006", "8501=My board"]);
});

test("only numbers of ports are ports", () => {
  expect(arePorts([])).toBe(true);
  expect(arePorts(["6006", "65535"])).toBe(true);
  for (const wrong of ["0", "65536", "-1", "6006/tcp", "1e3", ""])
    expect(arePorts([wrong])).toBe(false);
});

test("each port is asked for once, in order", () => {
  expect(portsOf(["8080", "6006", "08080"])).toEqual([6006, 8080]);
});
