import { describe, expect, it, test } from "vitest";
import { anImage, aPool } from "@/testing/factories";
import {
  arePorts,
  curlOf,
  defaultName,
  IdempotencyKeys,
  imagesFor,
  keepDraft,
  namesOfPorts,
  poolsFor,
  portsOf,
  readDraft,
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
    const [lab, server] = [anImage({ for_training: false }), anImage({ for_environments: false })];
    expect(imagesFor("replica", [lab, server])).toEqual([server]);
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

describe("what was typed and not submitted", () => {
  const offered = {
    groups: [{ id: "g1", name: "vision", title_en: "", title_zh: "" }],
    pools: [aPool()],
    images: [anImage()],
    group: "vision",
  } as const;

  function aStore(text: string | null = null) {
    const store = {
      text,
      getItem: () => store.text,
      setItem(_: string, next: string) {
        store.text = next;
      },
    };
    return store;
  }

  it("is kept by form, until it is forgotten", () => {
    const store = aStore();
    keepDraft(store, "job", { name: "first" });
    keepDraft(store, "job", { name: "second" });
    keepDraft(store, "notebook", { name: "third" });
    expect(readDraft(store, "job", offered)).toEqual({ name: "second" });
    expect(readDraft(store, "another address", offered)).toBeNull();
    keepDraft(store, "job", null);
    expect(readDraft(store, "job", offered)).toBeNull();
    expect(readDraft(store, "notebook", offered)).toEqual({ name: "third" });
  });

  it("leaves out values of variables, and what is no longer offered", () => {
    const store = aStore();
    const env = [{ name: "TOKEN", value: "hidden" }, undefined];
    keepDraft(store, "job", { group: "vision", pool: "closed", image: "gone", env });
    expect(store.text).not.toContain("hidden");
    expect(readDraft(store, "job", offered)).toEqual({
      group: "vision",
      env: [{ name: "TOKEN" }, {}],
    });
    const again = { env: [{ name: "TOKEN", value: "of the job before" }] };
    expect(readDraft(store, "job", offered, again)?.env).toEqual([...again.env, {}]);
  });

  it("is of finite size", () => {
    const store = aStore();
    for (const form of ["1", "2", "3", "4", "5"]) keepDraft(store, form, { name: form });
    expect(readDraft(store, "1", offered)).toBeNull();
    keepDraft(store, "5", { name: "x".repeat(200_000) });
    expect(readDraft(store, "5", offered)).toBeNull();
    expect(readDraft(store, "4", offered)).toEqual({ name: "4" });
  });

  it("is nothing where the store holds something else, or takes nothing", () => {
    expect(readDraft(aStore("{"), "job", offered)).toBeNull();
    const full = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    expect(() => keepDraft({ ...aStore(), setItem: full }, "job", { name: "x" })).not.toThrow();
  });
});
