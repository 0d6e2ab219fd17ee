import { expect, it } from "vitest";
import type { DryRunInput, GpuPrice, GpuPrices } from "@/shared/api/types";
import { aPool } from "@/testing/factories";
import { hourlyCost } from "./cost";

function aPrice(model: string, hourly: number, fields: Partial<GpuPrice> = {}): GpuPrice {
  const open = { id: model, valid_from: "2026-01-01", valid_until: null, may_remove: false };
  return { ...open, model, hourly_micros: hourly * 1_000_000, currency: "CNY", ...fields };
}

const prices: GpuPrices = {
  currency: "CNY",
  open_from: "2026-11-01",
  models: [],
  prices: [
    aPrice("A100", 9, { valid_from: "2025-01-01", valid_until: "2026-01-01" }),
    aPrice("A100", 10),
    aPrice("H200", 20),
    aPrice("V100", 3, { currency: "EUR" }),
  ],
};
const draft = { kind: "training", group: "vision", pool: "training" } as DryRunInput;
const whole = aPool({ mode: "exclusive", slices_per_card: 1 });
const costOf = (asked: Partial<DryRunInput>, models: string[], pool = whole) =>
  hourlyCost(prices, { ...draft, ...asked }, pool, models, "2026-11-29");

it("counts the GPUs of all ranks, by the price in force on the day", () => {
  expect(costOf({ gpus: 8, replicas: 2 }, ["A100"])).toEqual({
    least: 160,
    most: 160,
    currency: "CNY",
  });
});

it("goes from the cheapest to the dearest model that will do", () => {
  expect(costOf({ gpus: 1 }, ["H200", "A100"])).toMatchObject({ least: 10, most: 20 });
});

it("counts a part of a GPU as a part", () => {
  expect(costOf({ slices: 2 }, ["A100"], aPool())?.most).toBe(2.5);
  expect(costOf({ gpu_milli: 250 }, ["A100"], aPool({ slices_per_card: 1 }))?.most).toBe(2.5);
});

it.each([
  ["no GPU", { gpus: 0 }, ["A100"]],
  ["a model without a price", { gpus: 1 }, ["A100", "T4"]],
  ["a price in another currency", { gpus: 1 }, ["V100"]],
  ["models that are not known", { gpus: 1 }, []],
])("names no sum for %s", (_what, asked, models) => {
  expect(costOf(asked, models)).toBeNull();
});
