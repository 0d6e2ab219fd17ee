/** What a job runs: its command line as words and back, and its environment variables. Pure. */

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

// Environment variables: rows of a form, and the object that the server takes.

export interface Variable {
  name?: string;
  value?: string;
}

/** What the server takes as a name. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** The variables as an object; rows without a name are left out. */
export function envOf(variables: readonly (Variable | undefined)[]): Record<string, string> {
  return Object.fromEntries(
    variables.flatMap((row) => (row?.name ? [[row.name, row.value ?? ""]] : [])),
  );
}

/** Whether another row above this one has its name already. */
export function isRepeated(variables: readonly (Variable | undefined)[], index: number): boolean {
  const name = variables[index]?.name;
  return Boolean(name) && variables.slice(0, index).some((row) => row?.name === name);
}
