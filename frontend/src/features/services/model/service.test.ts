import { expect, it } from "vitest";
import { aReplica, aService } from "@/testing/services";
import en from "../locales/en.json";
import zh from "../locales/zh-CN.json";
import { keyInput } from "./keys";
import { revisionChange, termsChange, termsForm } from "./revision";
import {
  addressOf,
  curlOfService,
  liveFirst,
  openRequests,
  readServiceSearch,
  replicaRange,
  stepParams,
  weightsOf,
} from "./service";

it("has an address below the origin, or below a variable where that is not known", () => {
  expect(addressOf({ path: "/vision/chat" }, "https://models.example.org")).toBe(
    "https://models.example.org/vision/chat",
  );
  expect(addressOf({ path: "/vision/chat" })).toBe("$BERTH_INFERENCE_URL/vision/chat");
});

it("asks by the paths of OpenAI where the server speaks them", () => {
  const address = "https://m.example.org/vision/chat";
  const openai = curlOfService({ address, speaksOpenai: true, model: "it's" });
  expect(openai).toContain(`curl "${address}/v1/chat/completions"`);
  expect(openai).toContain(String.raw`"model":"it'\''s"`);
  expect(curlOfService({ address, speaksOpenai: false, model: "" })).toBe(
    `curl "${address}/" -H "Authorization: Bearer $BERTH_SERVICE_KEY"`,
  );
});

it("counts what is open, what may be and who gets what", () => {
  expect(openRequests([aReplica({ open_requests: 3 }), aReplica({ open_requests: 4 })])).toBe(7);
  expect(replicaRange({ min: 2, max: 2 })).toBe("2");
  expect([...weightsOf({ revision: 1, canary: null })]).toEqual([[1, 100]]);
  expect([...weightsOf({ revision: 1, canary: { revision: 3, percent: 5 } })]).toEqual([
    [1, 95],
    [3, 5],
  ]);
});

it("words times and rates of a step", () => {
  const params = { age_ms: 12_000, high_milli: 2500, needed: 3 };
  expect(stepParams(params, (millis) => `${millis} ms`, String)).toEqual({
    age_ms: "12000 ms",
    high_milli: "2.5",
    needed: "3",
  });
});

it("reads only what it knows from an address", () => {
  expect(readServiceSearch({ state: "deleted", mine: "yes", q: 7 })).toEqual({});
  expect(readServiceSearch({ state: "running", mine: true, q: "a" })).toEqual({
    state: "running",
    mine: true,
    q: "a",
  });
});

it("changes what is run as words, and sends the target of its class alone", () => {
  expect(
    revisionChange({
      image: "vllm",
      model: " m ",
      command: "",
      arguments: "--a 'b c'",
      canary_pct: 10,
    }),
  ).toEqual({ image: "vllm", model: "m", command: [], arguments: ["--a", "b c"], canary_pct: 10 });
  const form = termsForm(aService());
  expect(termsChange(form)).toMatchObject({ quality: "latency", target_ms: 2000, drain_s: 600 });
  expect(termsChange({ ...form, quality: "throughput", rate: 2.5 })).toMatchObject({
    rate_milli: 2500,
  });
  expect(termsChange({ ...form, quality: "throughput" })).not.toHaveProperty("target_ms");
});

it("issues a key without a limit and an end unless they are given", () => {
  const now = new Date("2026-03-01T00:00:00Z");
  expect(keyInput({ name: " app ", days: 0 }, now)).toEqual({
    name: "app",
    requests_per_min: null,
    tokens_per_min: null,
    expires_at: null,
  });
  expect(keyInput({ name: "app", requests_per_min: 60, days: 7 }, now)).toMatchObject({
    requests_per_min: 60,
    expires_at: "2026-03-08T00:00:00.000Z",
  });
});

it("has words for the same decisions in both languages", () => {
  expect(Object.keys(zh.step).toSorted()).toEqual(Object.keys(en.step).toSorted());
});

it("shows replicas first that answer", () => {
  const AT = "2026-03-01T09:00:00Z";
  const named = (name: string, fields: Parameters<typeof aReplica>[0]) =>
    aReplica({ name, ...fields });
  const replicas = [
    named("waiting", { stage: "waiting" }),
    named("draining", { stage: "ready", draining_since: AT }),
    named("ending", { stage: "ending" }),
    named("newer", { stage: "ready" }),
    named("older", { stage: "ready" }),
    named("starting", { stage: "starting" }),
  ];
  const order = ["newer", "older", "draining", "starting", "waiting", "ending"];
  expect(liveFirst(replicas).map(({ name }) => name)).toEqual(order);
});
