/** Work that was submitted before, as the fields that all forms share hold it. Pure. */
import type { WorkloadDetail } from "@/shared/api/types";
import { choiceForm, gibOf } from "./devices";
import { fileValues } from "./files";
import { secretRows } from "./secrets";
import type { SubmissionChoices, SubmissionValues } from "./submission";

const MEMORY_GIB_MIN = 1;

/** What is no longer offered, a pool or an image, is left out and has to be chosen again. */
export function valuesLike(
  work: WorkloadDetail,
  offered: SubmissionChoices,
): Partial<SubmissionValues> {
  return {
    ...placesOf(work, offered),
    ...devicesFormOf(work),
    ...choiceForm(work),
    ...fileValues(work.spec),
    cpu: work.cpu_milli / 1000,
    memory_gib: Math.max(MEMORY_GIB_MIN, Math.ceil(gibOf(work.memory_mib))),
    time_limit_s: work.time_limit_s,
    ports: work.spec.ports.map(String),
    datasets: work.spec.datasets,
    secrets: secretRows(work.spec.secrets),
  };
}

function placesOf(
  work: WorkloadDetail,
  { groups, pools, images }: SubmissionChoices,
): Partial<SubmissionValues> {
  const group = groups.find(({ id }) => id === work.group.id)?.name;
  const pool = pools.find(({ id }) => id === work.pool.id)?.name;
  const image = images.find(({ id }) => id === work.image.id)?.name;
  return { ...(group && { group }), ...(pool && { pool }), ...(image && { image }) };
}

function devicesFormOf(work: WorkloadDetail): Partial<SubmissionValues> {
  if (work.mig_profile) return { mig_profile: work.mig_profile };
  if (work.gpu_milli) {
    return {
      gpu_pct: work.gpu_milli / 10,
      gpu_memory_gib: gibOf(work.gpu_memory_mib),
      gpu_memory_ceiling_gib: work.gpu_memory_ceiling_mib && gibOf(work.gpu_memory_ceiling_mib),
    };
  }
  return work.slices ? { slices: work.slices } : { gpus: work.gpus };
}
