/** An expected start as a reader should hear it: no more exact than it is. Pure. */
import type { StartRange } from "@/shared/api/types";

const MINUTE_MS = 60_000;

/** `about` one moment, `between` two, or at the latest `by` one because the first is past. */
type Span =
  | { form: "about"; at: Date }
  | { form: "between"; from: Date; to: Date }
  | { form: "by"; to: Date };

export function spanOf({ earliest, latest }: StartRange, now: Date): Span {
  const from = new Date(earliest);
  const to = new Date(latest);
  if (to.getTime() - from.getTime() < MINUTE_MS) return { form: "about", at: to };
  if (from <= now) return { form: "by", to };
  return { form: "between", from, to };
}
