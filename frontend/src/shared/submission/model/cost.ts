/** What an hour of a draft costs, by the prices of the GPUs that it would get. Pure. */
import type { DryRunInput, GpuPrices, Pool } from "@/shared/api/types";
import { MICROS } from "@/shared/i18n/format";
import { deviceKindOf } from "./devices";

export interface HourlyCost {
  least: number;
  most: number;
  currency: string;
}

/**
 * In the currency of the site; from the cheapest to the dearest of these models on this day
 * (`2026-11-29`). Null where there is nothing to pay, or where a model has no price: then no sum is true.
 */
export function hourlyCost(
  { prices, currency }: GpuPrices,
  draft: DryRunInput,
  pool: Pool,
  models: readonly string[],
  day: string,
): HourlyCost | null {
  const gpus = gpusOf(draft, pool);
  const hourly = models.map((model) => {
    const inForce = prices.find(
      ({ model: priced, valid_from, valid_until }) =>
        priced === model && valid_from <= day && (valid_until === null || day < valid_until),
    );
    return inForce?.currency === currency ? inForce.hourly_micros / MICROS : null;
  });
  const known = hourly.filter((price) => price !== null);
  if (!gpus || known.length === 0 || known.length < hourly.length) return null;
  return { least: Math.min(...known) * gpus, most: Math.max(...known) * gpus, currency };
}

/** How many GPUs are counted, of all ranks together; 0 of a MIG profile, whose part is not known here. */
function gpusOf(draft: DryRunInput, pool: Pool): number {
  const { gpus = 0, slices = 0, gpu_milli = 0, replicas = 1 } = draft;
  const parts = deviceKindOf(pool) === "slices" ? slices / pool.slices_per_card : gpu_milli / 1000;
  return (gpus || parts) * replicas;
}
