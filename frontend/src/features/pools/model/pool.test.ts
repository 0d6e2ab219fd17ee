import { expect, it } from "vitest";
import { aPool } from "@/testing/factories";
import { POOL_DEFAULTS, type PoolForm, poolChange, poolForm, poolInput } from "./pool";

const form: PoolForm = { ...POOL_DEFAULTS, name: "dev", title_en: " Dev ", title_zh: "Dev" };

it("makes equal slices behind the wall that was chosen", () => {
  expect(poolInput(form)).toMatchObject({
    name: "dev",
    title_en: "Dev",
    mode: "shared",
    slices_per_card: 8,
    slice_mib: 4096,
    isolation: "cgroup",
  });
});

it.each([
  ["gpus", { mode: "exclusive", slices_per_card: 1, slice_mib: 0, isolation: undefined }],
  ["share", { mode: "shared", slices_per_card: 1, slice_mib: 0, isolation: "cgroup" }],
  ["profile", { mode: "mig", slices_per_card: 8, slice_mib: 4096, isolation: "mig" }],
] as const)("gives %s in the server's words", (gives, expected) => {
  const { mode, slices_per_card, slice_mib, isolation } = poolInput({ ...form, gives });
  expect({ mode, slices_per_card, slice_mib, isolation }).toEqual(expected);
});

it("changes all but name and wall, and nothing that nobody touched", () => {
  const pool = aPool({ slices_per_card: 4, slice_mib: 8192 });
  const change = poolChange(poolInput(poolForm(pool)));
  expect(change).not.toHaveProperty("name");
  expect(change).not.toHaveProperty("isolation");
  expect(pool).toMatchObject(change);
});
