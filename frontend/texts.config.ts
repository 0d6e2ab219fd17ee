/**
 * The texts of the pages in parts, each of one language and in one file: a page loads what it says, and
 * little else. `virtual:texts` has a way to load each part of `src/app/texts.json`.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import texts from "./src/app/texts.json" with { type: "json" };

const { parts } = texts;

/** What the component library calls each language. */
const LANGUAGES = { en: "en_US", "zh-CN": "zh_CN" } as const;

const ALL = "virtual:texts";
const PART = /^virtual:texts\/texts-(.+)-(\w+)$/;

export const textParts: Plugin = {
  name: "text-parts",
  resolveId: (source) => (source === ALL || PART.test(source) ? `\0${source}` : null),
  load(id) {
    if (id === `\0${ALL}`) return listOfParts();
    const [, language, part] = (id.startsWith("\0") && PART.exec(id.slice(1))) || [];
    if (!language || !part) return null;
    return partModule(language as keyof typeof LANGUAGES, part as keyof typeof parts);
  },
};

function listOfParts(): string {
  const ofLanguage = (language: string) =>
    Object.keys(parts).map((part) => `${part}: () => import("${ALL}/texts-${language}-${part}")`);
  const all = Object.keys(LANGUAGES).map((language) => `"${language}": {${ofLanguage(language)}}`);
  return `export const texts = {${all}};`;
}

/** The first has the words of the component library, too. */
function partModule(language: keyof typeof LANGUAGES, part: keyof typeof parts): string {
  const names = parts[part].map((name, place) => [name, `part${place}`] as const);
  return [
    ...names.map(([name, local]) => `import ${local} from "${pathOf(name, language)}";`),
    part === "first" && `export { default as library } from "antd/locale/${LANGUAGES[language]}";`,
    `export default {${names.map(([name, local]) => `"${name}": ${local}`)}};`,
  ]
    .filter(Boolean)
    .join("\n");
}

/** The folder that gives a namespace its name. */
function pathOf(name: string, language: string): string {
  const paths = ["", "shared/", "features/"].map(
    (above) => `/src/${above}${name}/locales/${language}.json`,
  );
  const found = paths.find((path) =>
    existsSync(fileURLToPath(new URL(`.${path}`, import.meta.url))),
  );
  if (!found) throw new Error(`no texts of ${name}`);
  return found;
}
