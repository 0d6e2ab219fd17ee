/** What a submission form offers. Pure. */
import type { GroupRef, Image, Pool } from "@/shared/api/types";

export type Kind = "environment" | "training";

export interface Choices {
  groups: readonly [GroupRef, ...GroupRef[]];
  pools: readonly [Pool, ...Pool[]];
  images: readonly Image[];
  /** Name of the group to start with. */
  group: string;
}

/** Open pools for this kind of work: notebooks take parts of cards, jobs take whole ones. */
export function poolsFor(kind: Kind, pools: readonly Pool[]): Pool[] {
  return pools.filter(
    (pool) => pool.is_open && (kind === "environment") === (pool.mode !== "exclusive"),
  );
}

export function imagesFor(kind: Kind, images: readonly Image[]): Image[] {
  return images.filter((image) =>
    kind === "environment" ? image.for_environments : image.for_training,
  );
}

export function isFilled<T>(list: readonly T[]): list is readonly [T, ...T[]] {
  return list.length > 0;
}
