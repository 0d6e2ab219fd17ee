/** What somebody wants done who types a verb before a name, and to what it may be done. Pure. */
import type { Hit, ListedWorkload } from "@/shared/api/types";
import { termsOf } from "@/shared/workload/model/kinds";

export const VERBS = ["open", "stop", "drain"] as const;
export type QuickVerb = (typeof VERBS)[number];

export interface Command {
  verb: QuickVerb | null;
  /** What follows the verb; everything, where there is none. */
  rest: string;
}

/** What is chosen in the palette and needs more than a way there. */
export type QuickAct =
  | { verb: "open"; work: ListedWorkload }
  | { verb: "stop"; work: ListedWorkload }
  | { verb: "drain"; node: Pick<Hit, "id" | "name"> };

/** Nodes in other states are drained already, or were given up. */
const DRAINABLE = ["ready", "unready", "lost", "cordoned"];

/**
 * Reads "drain gpu-1". Verbs are known in English and in the reader's language, whose words need no space
 * after them where its script has none.
 */
export function readCommand(
  text: string,
  verbs: readonly QuickVerb[],
  words: Record<QuickVerb, string>,
): Command {
  const said = text.trimStart();
  for (const verb of verbs) {
    for (const word of [verb, words[verb]]) {
      const rest = said.slice(word.length);
      const isWhole = rest === "" || /^\s/.test(rest) || !/\w$/.test(word);
      if (isWhole && said.toLowerCase().startsWith(word.toLowerCase())) {
        return { verb, rest: rest.trim() };
      }
    }
  }
  return { verb: null, rest: text };
}

/** Whether a verb may be meant: nothing was typed yet, or its first letters. */
export function isBegun(word: string, text: string): boolean {
  return word.toLowerCase().startsWith(text.trim().toLowerCase());
}

/** What may be done so to what was found; a task stands for its whole array. */
export function actsFor(
  { verb }: Command,
  hits: readonly Hit[],
  works: readonly ListedWorkload[],
): QuickAct[] {
  switch (verb) {
    case "drain":
      return hits.flatMap(({ kind, id, name, state }) =>
        kind === "node" && DRAINABLE.includes(state) ? [{ verb, node: { id, name } }] : [],
      );
    case "stop":
      return works
        .filter(({ kind, actions }) => actions.includes(termsOf(kind).stop))
        .map((work) => ({ verb, work }));
    case "open":
      return works.filter(({ is_ready }) => is_ready).map((work) => ({ verb, work }));
    default:
      return [];
  }
}

/** What it is done to. */
export const objectOf = (act: QuickAct) => (act.verb === "drain" ? act.node.name : act.work.name);
