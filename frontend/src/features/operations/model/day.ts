/** The curves of a day as areas of a picture of 100 × 100. Pure. */
import type { DayCurves } from "@/shared/api/types";

type Areas = Record<"held" | "used" | "waiting", string>;

interface DayPicture {
  /** Thousandths of a GPU at the upper edge. */
  most: number;
  /** Height of the line of all GPUs; null where that is not known. */
  capacity: number | null;
  areas: Areas;
}

/** What is held from below, with what is used of it; what waits on top of what is held. */
export function areasOf(day: DayCurves, gpus: number | null): DayPicture {
  const { held_milli: held, used_milli, waiting_milli } = day;
  const above = held.map((milli, at) => milli + (waiting_milli[at] ?? 0));
  const most = Math.max(1000 * Math.max(gpus ?? 1, 1), ...above);
  const last = Math.max(held.length - 1, 1);
  const y = (milli: number) => Math.round(1000 * (1 - milli / most)) / 10;
  const line = (values: readonly number[]) =>
    values.map((milli, at) => `${Math.round((1000 * at) / last) / 10},${y(milli)}`);
  const between = (upper: readonly number[], lower: readonly number[]) =>
    [...line(upper), ...line(lower).toReversed()].join(" ");
  const none = held.map(() => 0);
  return {
    most,
    capacity: gpus === null ? null : y(1000 * gpus),
    areas: {
      held: between(held, none),
      used: between(
        used_milli.map((milli) => milli ?? 0),
        none,
      ),
      waiting: between(above, held),
    },
  };
}

const TICKS = 4;

/** Some moments of the axis, from its first to its last. */
export function ticksOf({ times }: Pick<DayCurves, "times">): string[] {
  return Array.from(
    { length: TICKS + 1 },
    (_, tick) => times[Math.round((tick * (times.length - 1)) / TICKS)] ?? "",
  );
}

/** What was held and not used; null where use was not measured. */
export function idleIn({ held_milli, used_milli }: DayCurves): (number | null)[] {
  return held_milli.map((held, at) => {
    const used = used_milli[at] ?? null;
    return used === null ? null : Math.max(0, held - used);
  });
}
