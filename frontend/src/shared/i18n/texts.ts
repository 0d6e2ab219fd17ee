/** Loads texts: one namespace for each `locales` folder, named after its parent. */
import type { Locale } from "antd/es/locale";
import english from "antd/es/locale/en_US";
import i18next from "i18next";
import { currentLanguage, type Language, preferredLanguage, rememberLanguage } from "./language";

const LOCALES = import.meta.glob<object>("/src/{app,shared/*,features/*}/locales/*.json", {
  import: "default",
});
const LIBRARY: Record<Language, () => Promise<{ default: Locale }>> = {
  // What the library itself has without being asked.
  en: async () => ({ default: english }),
  "zh-CN": () => import("antd/es/locale/zh_CN"),
};

/** What has been asked for, by its folder; a switch of the language loads it again. */
const wanted = new Set(
  Object.keys(LOCALES).flatMap((path) => /^\/src\/(?:app|shared\/[^/]+)(?=\/)/.exec(path) ?? []),
);
const libraryLocales = new Map<Language, Locale>();

/** Code and what it says; `texts.config.ts` puts this around each import. */
export async function withTexts<Code>(code: Promise<Code>, features: string[]): Promise<Code> {
  const [loaded] = await Promise.all([code, loadTexts(features)]);
  return loaded;
}

/** Load what features say, in the present language. */
export function loadTexts(features: string[]): Promise<void> {
  const folders = new Set(features.map((name) => `/src/features/${name}`));
  for (const folder of folders) wanted.add(folder);
  return load(currentLanguage(), folders);
}

/** With what every page may say. */
export function startTexts(): Promise<void> {
  return switchLanguage(preferredLanguage());
}

/** Load the texts of a language, then show every page in it. */
export async function switchLanguage(language: Language): Promise<void> {
  const [{ default: library }] = await Promise.all([LIBRARY[language](), load(language, wanted)]);
  libraryLocales.set(language, library);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  rememberLanguage(language);
}

/** What the component library says in a language that is loaded. */
export function libraryLocale(language: Language): Locale | undefined {
  return libraryLocales.get(language);
}

/** What these folders say, and what joins them meanwhile. */
async function load(language: Language, folders: ReadonlySet<string>): Promise<void> {
  const missing = () =>
    [...folders].filter((folder) => !i18next.hasResourceBundle(language, nameOf(folder)));
  while (missing().length > 0) {
    await Promise.all(missing().map((folder) => add(language, folder)));
  }
}

async function add(language: Language, folder: string): Promise<void> {
  const texts = await LOCALES[`${folder}/locales/${language}.json`]?.();
  i18next.addResourceBundle(language, nameOf(folder), texts);
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}
