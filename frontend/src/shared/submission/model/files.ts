/** Home, volumes and outputs of earlier jobs: as a form holds them, and as the server takes them. Pure. */
import type { EnvironmentInput } from "@/shared/api/types";

type SubmissionFiles = Pick<EnvironmentInput, "home" | "volumes" | "inputs">;

export const INPUTS_MAX = 16;
const MOUNT_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** One row of the form. */
export interface InputRow {
  job?: string;
  name?: string;
}

export interface FileValues {
  home?: boolean;
  volumes?: readonly string[];
  inputs?: readonly (InputRow | undefined)[];
}

export function isMountName(name: string): boolean {
  return MOUNT_NAME.test(name);
}

/** A name of a job as a folder: `Nightly run 2` becomes `nightly-run-2`. */
export function mountNameOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|-+$/g, "")
    .slice(0, 63);
  return plain || "job";
}

/** What is as the server has it by default is not sent. */
export function filesOf({ home = true, volumes = [], inputs = [] }: FileValues) {
  const rows = inputs.flatMap((row) =>
    row?.job && row.name ? [{ job: row.job, name: row.name.trim() }] : [],
  );
  return {
    ...(!home && { home }),
    ...(volumes.length > 0 && { volumes: [...volumes] }),
    ...(rows.length > 0 && { inputs: rows }),
  };
}

/** The files of an earlier submission, for a form that repeats it. */
export function fileValues({ home, volumes, inputs }: SubmissionFiles): FileValues {
  return {
    ...(home !== undefined && { home }),
    ...(volumes && { volumes }),
    ...(inputs && { inputs }),
  };
}

/** The same with the outputs of a job as one more input. */
export function withOutputsOf(files: FileValues, job: { id: string; name: string }): FileValues {
  const inputs = files.inputs ?? [];
  if (inputs.some((row) => row?.job === job.id)) return files;
  const taken = new Set(inputs.map((row) => row?.name));
  const wanted = mountNameOf(job.name);
  const name = taken.has(wanted) ? `${wanted.slice(0, 54)}-${job.id.slice(-8)}` : wanted;
  return { ...files, inputs: [...inputs, { job: job.id, name }] };
}

/** A value that a notebook gets in place of that of its cell with the tag `parameters`. */
export interface NotebookParameter {
  name: string;
  value: string;
}

const PARAMETER = /^\s*([A-Za-z_]\w*)\s*=(.*)$/;

export function isNotebook(file: string): boolean {
  return file.endsWith(".ipynb");
}

/** What runs a file without a first line that says so, by the end of its name. */
const PROGRAMS = new Map([
  ["py", "python3"],
  ["R", "Rscript"],
  ["r", "Rscript"],
  ["jl", "julia"],
]);
const SHELL = "$(command -v bash || echo sh)";
/** What `scriptFor` knows how to run. */
const PROGRAM = /\.(py|sh|bash|R|r|jl|ipynb)$/;
const PROGRAMS_MAX = 50;

interface FileOfHome {
  path: string;
  kind: string;
  modified_at: string;
}

/** The paths of the programs among files, the newest first. */
export function programsOf(files: readonly FileOfHome[]): string[] {
  return files
    .filter(({ path, kind }) => kind === "file" && PROGRAM.test(path))
    .toSorted((one, other) => other.modified_at.localeCompare(one.modified_at))
    .slice(0, PROGRAMS_MAX)
    .map(({ path }) => path);
}

/** Lines of `name=value`; null where one is none. */
export function parametersIn(text: string): NotebookParameter[] | null {
  const lines = text.split("\n").filter((line) => line.trim());
  const found = lines.flatMap((line) => {
    const [, name, value = ""] = PARAMETER.exec(line) ?? [];
    return name ? [{ name, value: value.trim() }] : [];
  });
  return found.length === lines.length ? found : null;
}

/** A script that runs a file of the home. A notebook is executed, its copy with results kept. */
export function scriptFor(file: string, parameters: readonly NotebookParameter[] = []): string {
  const commands = isNotebook(file) ? notebookCommands(file, parameters) : programCommands(file);
  return `cd "$HOME"\n${commands}`;
}

/**
 * The file's first line decides, as when it is started itself: a program and one option, whatever is in that.
 * It need not be executable, and its lines may end as on Windows.
 */
function programCommands(file: string): string {
  const program = PROGRAMS.get(file.slice(file.lastIndexOf(".") + 1)) ?? SHELL;
  return [
    `file=${pathOf(file)}`,
    `first=$(tr '\\r' '\\n' <"$file" | head -n 1)`,
    `case $first in '#!'*) ;; *) first="#!${program}" ;; esac`,
    "read -r program option <<END",
    `\${first#??}`,
    "END",
    `"$program" \${option:+"$option"} "$file"`,
    "",
  ].join("\n");
}

/**
 * By papermill, which keeps the copy of a run that fails, too; else by what JupyterLab brings. Both run
 * in the notebook's folder, as JupyterLab does: there are the files that its cells name.
 */
function notebookCommands(file: string, parameters: readonly NotebookParameter[]): string {
  const given = parameters.map(({ name, value }) => `-p ${name} ${quoted(value)} `).join("");
  const copy = `"$BERTH_OUTPUT_DIR"/${quoted(file.slice(file.lastIndexOf("/") + 1))}`;
  const folder = file.includes("/") ? `--cwd ${pathOf(file.slice(0, file.lastIndexOf("/")))} ` : "";
  const papermill = `papermill --log-output ${folder}${given}${pathOf(file)} ${copy}`;
  if (parameters.length > 0) {
    const missing = "papermill is not in this image: pip install papermill";
    return `command -v papermill >/dev/null || { echo "${missing}" >&2; exit 127; }\n${papermill}\n`;
  }
  return [
    "if command -v papermill >/dev/null; then",
    `  ${papermill}`,
    "else",
    `  jupyter nbconvert --to notebook --execute --output-dir "$BERTH_OUTPUT_DIR" ${pathOf(file)}`,
    "fi\n",
  ].join("\n");
}

/** A file of the home, and what a notebook is run with. */
export interface ProgramRun {
  file: string;
  parameters: readonly NotebookParameter[];
}

const QUOTED = String.raw`'(?:[^']|'\\'')*'`;
const OF_PROGRAM = new RegExp(`^file=(${QUOTED})$`, "m");
const OF_NOTEBOOK = new RegExp(`papermill .*?(${QUOTED}) "\\$BERTH_OUTPUT_DIR"`, "s");
const GIVEN = new RegExp(`-p (\\w+) (${QUOTED}) `, "g");

/** What a script of `scriptFor` runs; null where somebody has written it. */
export function runIn(script: string): ProgramRun | null {
  const [, word] = OF_PROGRAM.exec(script) ?? OF_NOTEBOOK.exec(script) ?? [];
  if (!word) return null;
  const file = unquoted(word).replace(/^\.\/(?=-)/, "");
  const parameters = [...script.matchAll(GIVEN)].map(([, name = "", value = ""]) => ({
    name,
    value: unquoted(value),
  }));
  return scriptFor(file, parameters) === script ? { file, parameters } : null;
}

function unquoted(word: string): string {
  return word.slice(1, -1).replaceAll("'\\''", "'");
}

/** A path as one word of the shell, and never as an option of a program. */
function pathOf(file: string): string {
  return quoted(file.startsWith("-") ? `./${file}` : file);
}

/**
 * A text as one word of the shell. Bytes of a name that are no UTF-8 come as characters of private use
 * (ADR 87), and a carriage return would be taken for the end of a line of the script.
 */
function quoted(text: string): string {
  const parts = text.split(/([\r\uF780-\uF7FF]+)/);
  const words = parts.map((part, place) => (place % 2 ? printed(part) : part && inQuotes(part)));
  return words.join("") || "''";
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function printed(bytes: string): string {
  const octal = Array.from(bytes, (each) => (each.charCodeAt(0) & 0xff).toString(8));
  return `"$(printf '${octal.map((digits) => `\\${digits.padStart(3, "0")}`).join("")}')"`;
}
