/** What work runs: its command line as words and back. Pure. */

/** The longest script that the server takes. */
export const SCRIPT_KIB_MAX = 64;

export function isShortScript(script: string): boolean {
  return new TextEncoder().encode(script).length <= SCRIPT_KIB_MAX * 1024;
}

// A command line as its words, by the quoting rules of a shell, without expanding anything.

interface SplitCommand {
  words: string[];
  /** False while a quote is still open. */
  isComplete: boolean;
}

/** One run of space, or one piece of a word: quoted, escaped or plain; else a stray quote. */
const PIECE = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|./gsu;

export function splitCommand(line: string): SplitCommand {
  const words: string[] = [];
  let isComplete = true;
  let isWordOpen = false;
  for (const piece of line.matchAll(PIECE)) {
    const text = textOf(piece);
    if (text === null) {
      isWordOpen = false;
      isComplete &&= piece[0].trim() === "";
      continue;
    }
    if (!isWordOpen) words.push("");
    words[words.length - 1] += text;
    isWordOpen = true;
  }
  return { words, isComplete };
}

/** What a piece adds to its word; null when it is no part of a word. */
function textOf([, single, double, escaped, plain]: RegExpExecArray): string | null {
  return single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? null;
}

/** Words as one line that a shell would split into the same words again. */
export function commandLine(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
