/** Codes and numbers of the server, made ready for sentences. Pure. */
import type { Pool, Reason, StartRange } from "@/shared/api/types";
import { slicesIn } from "@/shared/cluster/model/quotas";
import {
  formatDeadline,
  formatDuration,
  formatGpus,
  formatMemory,
  formatMilli,
  formatNumber,
} from "@/shared/i18n/format";
import type { Language } from "@/shared/i18n/language";

// Why it waits: the numbers of a reason, written with their units.

/** An amount of a resource: how many for the plural, and the number as it is written. */
interface Amount {
  count: number;
  amount: string;
  /** A part of a GPU as so many slices of its pool; 0 where it is no such part. */
  slices: number;
}

/** Formats an amount with its unit: `gpus`, `{count: 4, amount: "4"}` → `4 GPUs`. */
export type FormatAmount = (resource: string, amount: Amount) => string;

const GPU_SECONDS = "gpu_s";
const IN_MIB = ["gpu_memory", "memory"];

/** Parameters that count the resource named by `resource`. */
const WITH_UNIT = ["requested", "limit", "most", "free", "largest", "promised"];
const WITHOUT_UNIT = ["used"];

/** The name of a reason's sentence: what can never come true has one of its own. */
export function sentenceOf({ code, params }: Reason): string {
  if (code === "waiting_for_calendar" && params.opens_at === 0) return `${code}_never`;
  if (code === "reserved" && params.reservation) return `${code}_own`;
  if (code === "no_matching_model" && params.installed === 0) return `${code}_never`;
  const isQuota = code === "quota_ceiling" || code === "quota_user_ceiling";
  const isHopeless = isQuota && Number(params.requested) > Number(params.limit);
  return isHopeless ? `${code}_never` : code;
}

/** The parameters with their resource; a budget's reason leaves out that it counts GPU-seconds. */
export function paramsWithResource({ code, params }: Reason): Record<string, unknown> {
  return code === "quota_budget" || code === "never_fits_budget"
    ? { ...params, resource: GPU_SECONDS }
    : params;
}

interface ParamsReader {
  language: Language;
  now: Date;
  say: FormatAmount;
  /** The pool that the reason names, where it is known. */
  pool: Pool | undefined;
}

/** Every parameter as text: `{resource: "cpu", free: 2500}` → `{free: "2.5 cores"}`. */
export function readableParams(
  params: Record<string, unknown>,
  { language, now, say, pool }: ParamsReader,
): Record<string, string> {
  const resource = typeof params.resource === "string" ? params.resource : null;
  const write = (name: string, value: number) => {
    if (resource && WITH_UNIT.includes(name)) {
      return say(resource, amountOf(resource, value, language, pool));
    }
    if (resource && WITHOUT_UNIT.includes(name)) return amountOf(resource, value, language).amount;
    if (name.endsWith("_at")) return formatDeadline(new Date(value), now, language);
    return name.endsWith("_s") ? formatDuration(value, language) : formatNumber(value, language);
  };
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === "number" ? write(name, value) : String(value ?? ""),
    ]),
  );
}

function amountOf(resource: string, value: number, language: Language, pool?: Pool): Amount {
  const written = (count: number, amount: string, slices = 0) => ({ count, amount, slices });
  if (IN_MIB.includes(resource)) return written(value, formatMemory(value, language));
  switch (resource) {
    case GPU_SECONDS:
      return written(value / 3600, formatNumber(value / 3600, language));
    case "gpu":
      // A part of one GPU is written in the singular.
      return written(Math.max(1, value / 1000), formatGpus(value, language), slicesIn(value, pool));
    case "cpu":
      return written(value / 1000, formatMilli(value, language));
    case "share":
      return written(value / 10, formatNumber(value / 10, language));
    default:
      return written(value, formatNumber(value, language));
  }
}

// When it starts: an expected start, no more exact than it is.

const MINUTE_MS = 60_000;

/** What is promised by a moment is expected no later than then. */
export function withinPromise(range: StartRange, promisedAt: string | undefined): StartRange {
  if (!promisedAt || new Date(range.latest) <= new Date(promisedAt)) return range;
  const earliest = new Date(range.earliest) < new Date(promisedAt) ? range.earliest : promisedAt;
  return { ...range, earliest, latest: promisedAt };
}

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

// Why it failed: a node reports a code of a closed list, then the message of its engine.

interface NodeWords {
  code: string | null;
  words: string;
}

const CODED = /^([a-z]+(?:_[a-z]+)+)(?:: (.*))?$/s;

/** Takes the code off; words without one stay whole. */
export function nodeWords(detail: string): NodeWords {
  const [, code, words] = CODED.exec(detail) ?? [];
  return code ? { code, words: words ?? "" } : { code: null, words: detail };
}

const AMOUNTS = /(\d+) MiB used, (\d+) MiB \w+(?: on (.+))?$/;

/** The numbers in a node's words, for a sentence: `303 MiB used, 256 MiB granted on GPU-1`. */
export function amountsIn(words: string): Record<"used" | "granted" | "card", string> {
  const [, used = "", granted = "", card = ""] = AMOUNTS.exec(words) ?? [];
  return { used, granted, card };
}

// How it ended: what an exit code usually means. Codes above 128 are signals (128 + number).

type ExitMeaning =
  | "success"
  | "error"
  | "usage"
  | "not_executable"
  | "not_found"
  | "interrupted"
  | "aborted"
  | "killed"
  | "segfault"
  | "terminated"
  | "signal"
  | "other";

const MEANINGS: Record<number, ExitMeaning> = {
  0: "success",
  1: "error",
  2: "usage",
  126: "not_executable",
  127: "not_found",
  130: "interrupted",
  134: "aborted",
  137: "killed",
  139: "segfault",
  143: "terminated",
};

const SIGNAL_BASE = 128;
const SIGNAL_MAX = 64;

/** Codes below zero come from runtimes that report the signal itself. */
export function exitMeaning(code: number): ExitMeaning {
  const shellCode = code < 0 ? SIGNAL_BASE - code : code;
  const known = MEANINGS[shellCode];
  if (known) return known;
  return shellCode > SIGNAL_BASE && shellCode <= SIGNAL_BASE + SIGNAL_MAX ? "signal" : "other";
}
