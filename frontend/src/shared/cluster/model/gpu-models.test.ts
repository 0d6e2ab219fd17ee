import { expect, it } from "vitest";
import type { GpuModel } from "@/shared/api/types";
import { aPool } from "@/testing/factories";
import { choiceWords, featuresIn, modelFacts, modelNames } from "./gpu-models";

const h100: GpuModel = {
  name: "NVIDIA H100 SXM 80GB",
  vendor: "nvidia",
  memory_mib: 81_920,
  fp16_tflops: 989,
  fp32_tflops: 67,
  bandwidth_gbps: 3350,
  features: ["nvlink", "fp8"],
  is_mig_capable: true,
};
const k100: GpuModel = {
  ...h100,
  name: "Hygon K100 64GB",
  memory_mib: 65_536,
  fp16_tflops: 0,
  fp32_tflops: 0,
  bandwidth_gbps: 0,
  features: [],
  is_mig_capable: false,
};
const count = { memory_mib: 81_559, gpus_total: 2, gpus_free: 1 };
const pool = aPool({
  models: [
    { ...count, name: h100.name, known: h100 },
    { ...count, name: "homemade", known: null },
  ],
});

it("says what is published of a model and leaves out what is not", () => {
  expect(modelFacts(h100, "en")).toBe(
    "80.0 GiB · 989 TFLOPS FP16 · 67 TFLOPS FP32 · 3,350 GB/s · fp8, nvlink · MIG",
  );
  expect(modelFacts(k100, "en")).toBe("64.0 GiB");
});

it("names each model and feature once", () => {
  expect(featuresIn(pool)).toEqual(["fp8", "nvlink"]);
  expect(modelNames([pool, pool])).toEqual([h100.name, "homemade"]);
});

it("words a choice, and nothing where any GPU will do", () => {
  const any = {
    gpu_models: [],
    gpu_memory_min_mib: 0,
    gpu_features: [],
    gpu_bandwidth_min_gbps: 0,
  };
  expect(choiceWords(any, "en")).toBe("");
  expect(
    choiceWords(
      {
        gpu_models: ["A", "B"],
        gpu_memory_min_mib: 16_384,
        gpu_features: ["fp8"],
        gpu_bandwidth_min_gbps: 2000,
      },
      "en",
    ),
  ).toBe("A, B · fp8 · ≥ 16.0 GiB · ≥ 2,000 GB/s");
});
