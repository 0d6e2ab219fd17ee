/**
 * Texts come with the code that says them, as style sheets do: `import("./part")` also loads what the
 * features say that the part, and what it imports, name.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const SRC = join(ROOT, "src");
const FEATURES = readdirSync(join(SRC, "features"));

const LATER = /\bimport\("([^"]+)"\)/g;
const NOW = /^import (?!type )[^;]*?from "([^"]+)"/gm;
const CALLED = /useTranslation\(\s*(\[[^\]]*\]|"[^"]+")/g;
const PREFIXED = /["`]([\w-]+):\w/g;

interface SourceFile {
  imports: string[];
  names: string[];
}

const read = new Map<string, SourceFile>();
/** Namespaces by what is imported later, as the manifest of the build calls it: for `check-weight.mjs`. */
const brought: Record<string, string[]> = {};

export const textsWithCode: Plugin = {
  name: "texts-with-code",
  transform: bringTexts,
  watchChange: (id) => void read.delete(id),
  generateBundle() {
    this.emitFile({ type: "asset", fileName: ".vite/texts.json", source: JSON.stringify(brought) });
  },
};

/** The code of a module; null where nothing changes. */
export function bringTexts(code: string, id: string) {
  if (!id.startsWith(SRC)) return null;
  const together = code.replace(LATER, (later, source: string) => {
    const path = pathOf(source, id);
    const names = namesFrom(path);
    if (names.length === 0) return later;
    brought[relative(ROOT, path + (/\?.*/.exec(source)?.[0] ?? ""))] = names;
    return `withTexts(${later}, ${JSON.stringify(names)})`;
  });
  if (together === code) return null;
  return { code: `${together}\nimport { withTexts } from "@/shared/i18n/texts";`, map: null };
}

/** What features say that this file names, or any that comes with it. */
function namesFrom(path: string): string[] {
  const paths = new Set([path]);
  for (const each of paths) for (const next of fileAt(each).imports) paths.add(next);
  return FEATURES.filter((name) => [...paths].some((each) => fileAt(each).names.includes(name)));
}

function fileAt(path: string): SourceFile {
  const known = read.get(path) ?? readSource(path);
  read.set(path, known);
  return known;
}

function readSource(path: string): SourceFile {
  if (!/\.tsx?$/.test(path)) return { imports: [], names: [] };
  const text = readFileSync(path, "utf8");
  const found = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, part = ""]) => part);
  return {
    imports: found(NOW).map((source) => pathOf(source, path)),
    names: [...found(CALLED).flatMap((names) => names.match(/[\w-]+/g) ?? []), ...found(PREFIXED)],
  };
}

/** Of own code; what comes from packages stays as it is. */
function pathOf(source: string, from: string): string {
  const [plain = ""] = source.replace(/^@\//, `${SRC}/`).split("?");
  const path = plain.startsWith(".") ? join(dirname(from), plain) : plain;
  return [".ts", ".tsx"].map((end) => path + end).find((each) => existsSync(each)) ?? path;
}
