import { describe, expect, it } from "vitest";
import type { Secret, SecretUse } from "@/shared/api/types";
import {
  choicesOf,
  envOf,
  envRows,
  isRepeated,
  isTarget,
  secretRows,
  secretsOf,
  VARIABLE_NAME,
} from "./secrets";

const vision = { id: "g", name: "vision", title_en: "Vision", title_zh: "Vision" };

function aSecret(name: string, group: Secret["group"]): Secret {
  const at = "2026-11-01T00:00:00Z";
  return {
    id: name,
    name,
    group,
    value_bytes: 1,
    created_at: at,
    changed_at: at,
    last_used_at: null,
    may_change: true,
  };
}

it("offers own secrets and those of the chosen group", () => {
  const secrets = [aSecret("hub", null), aSecret("hub", vision)];
  expect(choicesOf(secrets, "g").map(({ value }) => value)).toEqual(["user:hub", "group:hub"]);
  expect(choicesOf(secrets, "other").map(({ value }) => value)).toEqual(["user:hub"]);
});

it("is the same after a round through the form", () => {
  const uses: SecretUse[] = [
    { name: "hub", scope: "group", as: "env", target: "HUB_TOKEN" },
    { name: "key", scope: "user", as: "file", target: "key.pem" },
  ];
  expect(secretsOf(secretRows(uses))).toEqual(uses);
  expect(secretsOf([undefined, {}, { secret: "user:hub" }])).toEqual([]);
});

it("knows names of variables and of files", () => {
  expect(isTarget("env", "HUB_TOKEN") && isTarget("file", "key.pem")).toBe(true);
  expect(isTarget("env", "key.pem") || isTarget("file", ".env") || isTarget("file", "a/b")).toBe(
    false,
  );
});

describe("environment variables", () => {
  it("become an object, without rows that have no name", () => {
    const rows = [{ name: "LR", value: "0.1" }, { value: "lost" }, undefined, { name: "EMPTY" }];
    const env = { LR: "0.1", EMPTY: "" };
    expect(envOf(rows)).toEqual(env);
    expect(envOf(envRows(env))).toEqual(env);
  });

  it("are named once", () => {
    const rows = [{ name: "A" }, { name: "B" }, { name: "A" }, {}, {}];
    expect(rows.map((_, index) => isRepeated(rows, index))).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  it.each(["9LIVES", "A-B", "A B", "变量", ""])("refuses %o as a name", (name) => {
    expect(VARIABLE_NAME.test(name)).toBe(false);
  });
});
