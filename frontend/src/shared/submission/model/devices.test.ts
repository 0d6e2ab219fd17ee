import { expect, it } from "vitest";
import { aPool } from "@/testing/factories";
import {
  ceilingBounds,
  choiceForm,
  choiceOf,
  defaultMemoryGib,
  deviceForm,
  deviceKindOf,
  devicesOf,
} from "./devices";

const sharing = aPool({
  slices_per_card: 1,
  slice_mib: 0,
  limits: { ...aPool().limits, slices_max: 0, gpu_memory_mib_max: 32_000, burst_pct: 150 },
});

it("asks for what the pool gives", () => {
  expect(deviceKindOf(aPool())).toBe("slices");
  expect(deviceKindOf(aPool({ mode: "exclusive", slices_per_card: 1 }))).toBe("gpus");
  expect(deviceKindOf(aPool({ mode: "mig" }))).toBe("profile");
  expect(deviceKindOf(sharing)).toBe("share");
});

it("sends one kind of part, in the server's units", () => {
  expect(devicesOf({ gpus: 2 })).toEqual({ gpus: 2 });
  expect(devicesOf({ slices: 3 })).toEqual({ slices: 3 });
  expect(devicesOf({ mig_profile: "1g.10gb" })).toEqual({ mig_profile: "1g.10gb" });
  const share = { gpu_pct: 12.5, gpu_memory_gib: 4 };
  expect(devicesOf(share)).toEqual({ gpu_milli: 125, gpu_memory_mib: 4096 });
  expect(devicesOf({ ...share, gpu_memory_ceiling_gib: 6 })).toMatchObject({
    gpu_memory_ceiling_mib: 6144,
  });
  expect(devicesOf({ ...share, gpu_memory_ceiling_gib: null })).not.toHaveProperty(
    "gpu_memory_ceiling_mib",
  );
});

it("asks for no GPU in the same words in every pool, and for no kind of GPU then", () => {
  const form = { is_cpu_only: true, gpus: 2, slices: 1, gpu_pct: 50, gpu_models: ["A100"] };
  expect(devicesOf(form)).toEqual({ gpus: 0 });
  expect(choiceOf(form)).toEqual({});
});

it("holds a request as it was: its amount, none, or nothing where it names none", () => {
  const share = { gpu_milli: 125, gpu_memory_mib: 4096, gpu_memory_ceiling_mib: 6144 };
  for (const asked of [{ gpus: 2 }, { slices: 3 }, { mig_profile: "1g.10gb" }, share, { gpus: 0 }])
    expect(devicesOf(deviceForm(asked))).toEqual(asked);
  expect(deviceForm({ gpus: 0 })).toEqual({ is_cpu_only: true });
  expect(deviceForm({ slices: 0 })).toEqual({ is_cpu_only: true });
  expect(deviceForm({})).toEqual({});
});

it("has nothing to ask while a number is missing", () => {
  expect(devicesOf({})).toBeNull();
  expect(devicesOf({ gpu_pct: 10 })).toBeNull();
});

it("lets a share grow as far as pool and card let it", () => {
  expect(ceilingBounds(4, sharing)).toEqual({ min: 4, max: 6 });
  expect(ceilingBounds(30, sharing)).toEqual({ min: 30, max: 31 });
  expect(defaultMemoryGib(sharing)).toBe(7.5);
});

it("sends only the choice of GPUs that was made, and shows it again", () => {
  expect(choiceOf({})).toEqual({});
  expect(choiceOf({ gpu_models: [], gpu_memory_min_gib: null, gpu_features: [] })).toEqual({});
  const chosen = {
    gpu_models: ["A"],
    gpu_memory_min_mib: 16_384,
    gpu_features: ["fp8" as const],
    gpu_bandwidth_min_gbps: 2000,
  };
  expect(choiceOf(choiceForm(chosen))).toEqual(chosen);
});
