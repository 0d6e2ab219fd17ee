/** Models of GPUs as people read them. Pure. */
import type { GpuModel, Pool } from "@/shared/api/types";
import { formatMemory, formatNumber } from "@/shared/i18n/format";

/** What is published of a model, as words that need no translation; unpublished amounts are left out. */
export function modelFacts(model: GpuModel, language: string): string {
  const amount = (value: number, unit: string) =>
    value > 0 && `${formatNumber(value, language)} ${unit}`;
  return [
    formatMemory(model.memory_mib, language),
    amount(model.fp16_tflops, "TFLOPS FP16"),
    amount(model.fp32_tflops, "TFLOPS FP32"),
    amount(model.bandwidth_gbps, "GB/s"),
    model.features.toSorted().join(", "),
    model.is_mig_capable && "MIG",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The features that some GPU of a pool is known to have. */
export function featuresIn({ models }: Pick<Pool, "models">): string[] {
  return [...new Set(models.flatMap(({ known }) => known?.features ?? []))].toSorted();
}

/** The names of all models in these pools, the same one once. */
export function modelNames(pools: readonly Pick<Pool, "models">[]): string[] {
  return [...new Set(pools.flatMap(({ models }) => models.map(({ name }) => name)))].toSorted();
}

interface GpuChoice {
  gpu_models: readonly string[];
  gpu_memory_min_mib: number;
  gpu_features: readonly string[];
  gpu_bandwidth_min_gbps: number;
}

/** By what a workload chooses its GPUs; empty if any will do. */
export function choiceWords(choice: GpuChoice, language: string): string {
  const { gpu_models, gpu_memory_min_mib, gpu_features, gpu_bandwidth_min_gbps } = choice;
  return [
    gpu_models.join(", "),
    gpu_features.join(", "),
    gpu_memory_min_mib > 0 && `≥ ${formatMemory(gpu_memory_min_mib, language)}`,
    gpu_bandwidth_min_gbps > 0 && `≥ ${formatNumber(gpu_bandwidth_min_gbps, language)} GB/s`,
  ]
    .filter(Boolean)
    .join(" · ");
}
