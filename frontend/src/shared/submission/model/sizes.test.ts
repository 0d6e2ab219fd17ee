import { expect, it } from "vitest";
import { aPool } from "@/testing/factories";
import { type Size, sizeLike, sizesIn, sizesOf } from "./sizes";

const { limits, capacity } = aPool();
const whole = aPool({
  id: "training",
  name: "training",
  mode: "exclusive",
  slices_per_card: 1,
  limits: { ...limits, gpus_max: 8, replicas_max: 4 },
  capacity: { ...capacity, gpus_total: 16, gpus_free: 12, largest_free: 7 },
});
const amounts = (sizes: readonly Size[]) =>
  sizes.map(({ values: { gpus, slices, gpu_pct, mig_profile, replicas } }) =>
    [gpus ?? slices ?? gpu_pct ?? mig_profile, replicas].join("×"),
  );

it("offers one, half and all GPUs of a node, and two nodes where ranks are possible", () => {
  expect(amounts(sizesIn(whole, true))).toEqual(["1×1", "4×1", "8×1", "8×2"]);
  expect(amounts(sizesIn(whole, false))).toEqual(["1×1", "4×1", "8×1"]);
  const oneNode = { ...whole, capacity: { ...whole.capacity, gpus_total: 8 } };
  expect(amounts(sizesIn(oneNode, true))).toEqual(["1×1", "4×1", "8×1"]);
  const single = { ...whole, limits: { ...whole.limits, gpus_max: 1, replicas_max: 1 } };
  expect(amounts(sizesIn(single, true))).toEqual(["1×1"]);
});

it("offers parts of a GPU as the pool gives them out", () => {
  expect(amounts(sizesIn(aPool(), true))).toEqual(["1×1", "2×1", "4×1"]);
  const shares = aPool({ slices_per_card: 1, limits: { ...limits, gpu_memory_mib_max: 32_768 } });
  expect(amounts(sizesIn(shares, true))).toEqual(["25×1", "50×1"]);
  expect(sizesIn(shares, true)[1]?.values.gpu_memory_gib).toBe(16);
  const cut = aPool({ mode: "mig", limits: { ...limits, profiles: ["1g.10gb", "3g.40gb"] } });
  expect(amounts(sizesIn(cut, true))).toEqual(["1g.10gb×1", "3g.40gb×1"]);
});

it("offers nothing in a pool without GPUs", () => {
  const empty = { ...whole, limits: { ...whole.limits, gpus_max: 0 } };
  expect(sizesIn(empty, true)).toEqual([]);
});

it("gives cores and memory by the size, never more than one request may have", () => {
  const host = (size: Size | undefined) => [size?.values.cpu, size?.values.memory_gib];
  const [one, half, all] = sizesIn(whole, true);
  expect([host(one), host(half), host(all)]).toEqual([
    [4, 16],
    [16, 64],
    [32, 128],
  ]);
  const [slice, , four] = sizesIn(aPool(), true);
  expect([host(slice), host(four)]).toEqual([
    [2, 8],
    [4, 16],
  ]);
  const small = {
    ...whole,
    limits: { ...whole.limits, cpu_milli_max: 2500, memory_mib_max: 4096 },
  };
  expect(host(sizesIn(small, true)[0])).toEqual([2.5, 4]);
});

it("says of each size whether what is free would hold it", () => {
  expect(sizesIn(whole, true).map(({ hasRoom }) => hasRoom)).toEqual([true, true, false, false]);
  const idle = { ...whole, capacity: { ...whole.capacity, gpus_free: 16, largest_free: 8 } };
  expect(sizesIn(idle, true).map(({ hasRoom }) => hasRoom)).toEqual([true, true, true, true]);
});

it("finds the size that a form holds, and none for an amount of one's own", () => {
  const sizes = sizesOf([aPool(), whole], whole, true);
  const held = { pool: "training", gpus: 4, replicas: 1, cpu: 1, memory_gib: 1 };
  expect(sizeLike(sizes, held)?.values.gpus).toBe(4);
  expect(sizeLike(sizes, { ...held, gpus: 3 })).toBeUndefined();
  expect(sizeLike(sizes, { ...held, is_cpu_only: true })).toBeUndefined();
  expect(sizeLike(sizes, { ...held, pool: "development" })).toBeUndefined();
});

it("shows the chosen pool only where all of them would be too many", () => {
  const pools = [1, 2, 3].map((number) => ({ ...whole, id: `p${number}`, name: `p${number}` }));
  expect(sizesOf(pools, pools[1] as typeof whole, true).map(({ pool }) => pool.name)).toEqual([
    "p2",
    "p2",
    "p2",
    "p2",
  ]);
});
