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

/** The purpose whose pools serve this kind of work when nobody chooses another. */
const PURPOSE: Record<Kind, string> = { environment: "development", training: "training" };

/** The open pools; those that are there for this kind of work come first. */
export function poolsFor(kind: Kind, pools: readonly Pool[]): Pool[] {
  const isOther = ({ purpose }: Pool) => Number(purpose !== PURPOSE[kind]);
  return pools
    .filter(({ is_open }) => is_open)
    .toSorted((one, other) => isOther(one) - isOther(other));
}

export function imagesFor(kind: Kind, images: readonly Image[]): Image[] {
  return images.filter(
    (image) =>
      image.is_active && (kind === "environment" ? image.for_environments : image.for_training),
  );
}

export function isFilled<T>(list: readonly T[]): list is readonly [T, ...T[]] {
  return list.length > 0;
}
