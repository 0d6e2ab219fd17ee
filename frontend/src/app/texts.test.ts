import { expect, it } from "vitest";
import { partsOf } from "./i18n";
import { parts } from "./texts.json";

const SOURCES = import.meta.glob<string>(
  ["/src/**/*.{ts,tsx}", "!/src/**/*.test.{ts,tsx}", "!/src/testing/**", "!/src/jupyterlab/**"],
  { query: "?raw", eager: true, import: "default" },
);
const LOCALES = Object.keys(import.meta.glob("/src/{app,shared/*,features/*}/locales/en.json"));
const NAMESPACES = LOCALES.map((path) => path.split("/").at(-3) ?? "");
const ROUTES = Object.keys(SOURCES).filter((path) => path.startsWith("/src/routes/_shell/"));

/** `/src/routes/_shell/jobs/$id_.terminal.tsx` → `/jobs/7/terminal`. */
function addressOf(route: string): string {
  const path = route.replace(/^\/src\/routes\/_shell|(?:\/index)?\.tsx$/g, "");
  return path.replace("$id_.", "$id/").replace("$id", "7").replace("/$", "/nowhere") || "/";
}

/** What a file imports, at once or later; what loads parts by itself is not followed to what is later. */
function importsOf(path: string): string[] {
  const text = (SOURCES[path] ?? "").replace(/import type [^;]*;/g, "");
  const later = text.includes("loadTexts(") ? "" : '|import\\("([^"]+)"\\)';
  const found = text.matchAll(new RegExp(`from "([^"]+)"${later}`, "g"));
  return [...found].flatMap(([, now, then]) => fileOf(now ?? then ?? "", path));
}

function fileOf(source: string, from: string): string[] {
  const base = source.startsWith("@/")
    ? `/src/${source.slice(2)}`
    : new URL(source, `file://${from}`).pathname;
  if (!source.startsWith("@/") && !source.startsWith(".")) return [];
  return [`${base}.ts`, `${base}.tsx`].filter((path) => path in SOURCES);
}

function filesOf(route: string): Set<string> {
  const files = new Set([route]);
  for (const file of files) for (const each of importsOf(file)) files.add(each);
  return files;
}

/** Namespaces that a file names. Those of codes, `` `name:code.${code}` ``, have words without them. */
function namespacesOf(path: string): string[] {
  const text = SOURCES[path] ?? "";
  const called = [...text.matchAll(/useTranslation\(\s*(\[[^\]]*\]|"[^"]+")/g)].flatMap(
    ([, names = ""]) => [...names.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name),
  );
  const prefixed = [...text.matchAll(/"([\w-]+):[\w.]+"/g)].map(([, name = ""]) => name);
  return [...called, ...prefixed].filter((name) => NAMESPACES.includes(name));
}

it("knows pages by their addresses; elsewhere nothing is said", () => {
  expect(partsOf("/jobs/new")).toEqual(["jobs", "forms"]);
  expect(partsOf("/jobs/7/terminal/")).toEqual(["terminal"]);
  expect(partsOf("/nowhere")).toEqual([]);
});

it("has every namespace in one part", () => {
  const listed = Object.values(parts).flat();
  expect(listed.toSorted()).toEqual(NAMESPACES.toSorted());
});

it.each(ROUTES)("loads with %s what that page says", (route) => {
  const loaded = (["first", ...partsOf(addressOf(route))] as const).flatMap((part) => parts[part]);
  const said = new Set([...filesOf(route)].flatMap(namespacesOf));
  expect([...said].filter((name) => !loaded.includes(name))).toEqual([]);
});
