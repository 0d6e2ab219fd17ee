/** A build of an image as its form holds it. Pure. */
import type { ImageBuildInput } from "@/shared/api/types";

export const WAYS = ["requirements", "dockerfile"] as const;
export const BUILD_TEXT_MAX = 32 * 1024;
const MIB_PER_GIB = 1024;
const MILLI = 1000;

export interface ImageBuildForm {
  name: string;
  note?: string;
  is_shared: boolean;
  way: (typeof WAYS)[number];
  image?: string;
  requirements?: string;
  packages?: string;
  dockerfile?: string;
  group: string;
  pool?: string;
  cpu: number;
  memory_gib: number;
}

/** What a new build begins with. */
export function newBuild(group: string | undefined): Partial<ImageBuildForm> {
  return {
    way: "requirements",
    is_shared: false,
    cpu: 2,
    memory_gib: 8,
    ...(group !== undefined && { group }),
  };
}

export function buildInput(form: ImageBuildForm): ImageBuildInput {
  const { name, note, is_shared, group, pool, cpu, memory_gib } = form;
  return {
    name,
    note: note?.trim() ?? "",
    is_shared,
    group,
    ...(pool && { pool }),
    cpu_milli: Math.round(cpu * MILLI),
    memory_mib: Math.round(memory_gib * MIB_PER_GIB),
    ...(form.way === "dockerfile"
      ? { dockerfile: form.dockerfile ?? "" }
      : {
          image: form.image ?? "",
          requirements: form.requirements ?? "",
          packages: (form.packages ?? "").split(/[\s,]+/).filter(Boolean),
        }),
  };
}
