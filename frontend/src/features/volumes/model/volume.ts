/** A volume as its form holds it, and the order of the list. Pure. */
import type { GroupLimit, Volume, VolumeInput } from "@/shared/api/types";

/** Names that the server takes: they are folders below `/volumes`. */
export const VOLUME_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
export const WRITERS = ["developer", "group_admin", "nobody"] as const;

const MIB_PER_GIB = 1024;

export interface VolumeForm {
  group: string;
  name: string;
  description?: string;
  quota_gib: number;
  writers: Volume["writers"];
  is_writable_below: boolean;
}

export function volumeForm(volume: Volume): VolumeForm {
  return {
    group: volume.group?.id ?? "",
    name: volume.name,
    description: volume.description,
    quota_gib: volume.quota_mib / MIB_PER_GIB,
    writers: volume.writers,
    is_writable_below: volume.is_writable_below,
  };
}

export function volumeInput({ quota_gib, description, ...rest }: VolumeForm): VolumeInput {
  return {
    ...rest,
    description: description ?? "",
    quota_mib: Math.round(quota_gib * MIB_PER_GIB),
  };
}

export interface GroupSpaceForm {
  /** Empty is no limit. */
  most_gib?: number | null;
}

export function groupSpaceForm({ volumes_mib_max: most }: GroupLimit): GroupSpaceForm {
  return { most_gib: most === null ? null : most / MIB_PER_GIB };
}

/** In MiB; null is no limit. */
export function groupSpaceInput({ most_gib }: GroupSpaceForm): number | null {
  return typeof most_gib === "number" ? Math.round(most_gib * MIB_PER_GIB) : null;
}

/** The groups of which there is something to say: all to those who set limits. */
export function withSpace(limits: readonly GroupLimit[], all: boolean): GroupLimit[] {
  return limits.filter(
    ({ volumes_mib, volumes_mib_max }) => all || volumes_mib > 0 || volumes_mib_max !== null,
  );
}

/** My home first, then those in use by name, then the trash. */
export function inOrder(volumes: readonly Volume[], myId: string): Volume[] {
  const rank = ({ owner, state }: Volume) =>
    (state === "trashed" ? 2 : 0) + (owner?.id === myId ? 0 : 1);
  return volumes.toSorted(
    (one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name),
  );
}
