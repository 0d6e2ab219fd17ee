/** Keys that work on every page: Ctrl-K searches, `?` lists all keys, `g` and a letter leads to a page. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";

export type Quick = "search" | "keys";

/** Letters after `g`. */
export const JUMPS = {
  o: "/",
  n: "/notebooks",
  j: "/jobs",
  q: "/queue",
  f: "/files",
  u: "/usage",
} as const;

type Jump = (typeof JUMPS)[keyof typeof JUMPS];

/** How long `g` waits for its letter. */
const PATIENCE_MS = 1_500;
/** What has the focus and wants letters itself. */
const TYPING = "input, textarea, select, [contenteditable], .xterm, [role=dialog], [role=menu]";

/** What the reader asked for by a key, and how to ask for it or to close it. */
export function useQuickKeys() {
  const state = useState<Quick | null>(null);
  const [, setQuick] = state;
  const navigate = useNavigate();
  useEffect(() => {
    let jumpUntil = 0;
    const obey = (asked: Quick | Jump) =>
      asked === "search" || asked === "keys" ? setQuick(asked) : void navigate({ to: asked });
    const press = (event: KeyboardEvent) => {
      const asked = askedBy(event, event.timeStamp < jumpUntil);
      jumpUntil = asked === "g" ? event.timeStamp + PATIENCE_MS : 0;
      if (asked && asked !== "g") {
        event.preventDefault();
        obey(asked);
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [navigate]);
  return state;
}

function askedBy(event: KeyboardEvent, isJump: boolean) {
  const { key } = event;
  if (isSearch(event)) return "search";
  if (!isFree(event)) return null;
  if (key === "?") return "keys";
  if (isJump && key in JUMPS) return JUMPS[key as keyof typeof JUMPS];
  return key === "g" ? "g" : null;
}

/** Ctrl-K, or Cmd-K; in a terminal it deletes the rest of the line. */
function isSearch({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): boolean {
  const isAlone = (ctrlKey || metaKey) && !altKey && !shiftKey;
  return isAlone && key.toLowerCase() === "k" && !isWithin(target, ".xterm");
}

/** Whether a letter means the page: no other key is held, and no field has the focus. */
function isFree({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  return !(ctrlKey || metaKey || altKey) && !isWithin(target, TYPING);
}

function isWithin(target: EventTarget | null, owners: string): boolean {
  return target instanceof Element && target.closest(owners) !== null;
}
