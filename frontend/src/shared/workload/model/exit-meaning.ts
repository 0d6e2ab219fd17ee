/** What an exit code usually means. Codes above 128 are signals (128 + number). */

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
