import type { UsageRow } from "@/shared/api/types";

/** A row of usage with nothing in it but `given`. */
export function aUsageRow(given: Partial<UsageRow> = {}): UsageRow {
  return {
    period: "2026-11-01",
    key: "",
    title_en: "",
    title_zh: "",
    has_subgroups: false,
    gpu_milli_s: 0,
    fraction_milli_s: 0,
    sampled_milli_s: 0,
    idle_milli_s: 0,
    busy_milli_s: 0,
    measured_milli_s: 0,
    energy_j: null,
    carbon_g: null,
    gpu_memory_mib_s: 0,
    cpu_milli_s: 0,
    memory_mib_s: 0,
    costs: [],
    idle_costs: [],
    ...given,
  };
}
