/** Bodies of submissions, of earlier work or of templates, as the fields of all forms hold them. Pure. */
import type { EnvironmentInput, JobInput } from "@/shared/api/types";
import { choiceForm, gibOf } from "./devices";
import { fileValues } from "./files";
import { secretRows } from "./secrets";
import type { SubmissionChoices, SubmissionValues } from "./submission";

const MEMORY_GIB_MIN = 1;

/** What submits work, or a part of it. */
export type SubmissionBody = Partial<JobInput & EnvironmentInput>;

/**
 * Only what the body has. What is no longer offered, a pool or an image, is left out and has to be
 * chosen again.
 */
export function valuesLike(
  body: SubmissionBody,
  offered: SubmissionChoices,
): Partial<SubmissionValues> {
  const { cpu_milli, memory_mib, time_limit_s, ports, datasets, secrets, silence } = body;
  return {
    ...placesOf(body, offered),
    ...devicesFormOf(body),
    ...choiceForm(body),
    ...fileValues(body),
    ...(cpu_milli !== undefined && { cpu: cpu_milli / 1000 }),
    ...(memory_mib !== undefined && {
      memory_gib: Math.max(MEMORY_GIB_MIN, Math.ceil(gibOf(memory_mib))),
    }),
    ...(time_limit_s !== undefined && { time_limit_s }),
    ...(ports && { ports: ports.map(String) }),
    ...(datasets && { datasets }),
    ...(secrets && { secrets: secretRows(secrets) }),
    ...(silence === "replace" && { silence }),
  };
}

function placesOf(
  body: SubmissionBody,
  { groups, pools, images }: SubmissionChoices,
): Partial<SubmissionValues> {
  const group = groups.find(({ name }) => name === body.group)?.name;
  const pool = pools.find(({ name }) => name === body.pool)?.name;
  const image = images.find(({ name }) => name === body.image)?.name;
  return { ...(group && { group }), ...(pool && { pool }), ...(image && { image }) };
}

function devicesFormOf(body: SubmissionBody): Partial<SubmissionValues> {
  const { mig_profile, gpu_milli, gpu_memory_mib = 0, gpu_memory_ceiling_mib, slices, gpus } = body;
  if (mig_profile) return { mig_profile };
  if (gpu_milli) {
    return {
      gpu_pct: gpu_milli / 10,
      gpu_memory_gib: gibOf(gpu_memory_mib),
      ...(gpu_memory_ceiling_mib && { gpu_memory_ceiling_gib: gibOf(gpu_memory_ceiling_mib) }),
    };
  }
  if (slices) return { slices };
  return gpus ? { gpus } : {};
}
