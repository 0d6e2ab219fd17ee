/**
 * Texts: one namespace per `locales` folder, named after its parent. The first pages load a part of
 * them, what comes later on the overview a little more, the other pages all.
 */
import type { Locale } from "antd/es/locale";
import i18next from "i18next";
import { type Language, preferredLanguage, rememberLanguage } from "@/shared/i18n/language";

type Catalogue = () => Promise<{ texts: Record<string, object>; library?: Locale }>;

const FIRST: Record<Language, Catalogue> = {
  en: async () => (await import("./locales-en")).english,
  "zh-CN": async () => (await import("./locales-zh")).chinese,
};
const OVERVIEW: Record<Language, Catalogue> = {
  en: async () => ({ texts: (await import("./locales-en-overview")).englishOverview }),
  "zh-CN": async () => ({ texts: (await import("./locales-zh-overview")).chineseOverview }),
};
const REST: Record<Language, Catalogue> = {
  en: async () => ({ texts: (await import("./locales-en-rest")).englishRest }),
  "zh-CN": async () => ({ texts: (await import("./locales-zh-rest")).chineseRest }),
};

/** What has been asked for, in the order of loading; a switch of the language loads it again. */
const wanted = new Set([FIRST]);
const loaded = new Set<Catalogue>();
const libraryLocales = new Map<Language, Locale>();

export async function startTexts(): Promise<void> {
  const language = preferredLanguage();
  await i18next.init({
    lng: language,
    fallbackLng: false,
    resources: {},
    ns: [],
    interpolation: { escapeValue: false },
    // A number that the server left out must not look like a fault of the text.
    missingInterpolationHandler: () => "–",
    returnNull: false,
    // Not "_": codes of the server carry underscores, and contexts are not used.
    contextSeparator: "~",
  });
  await switchLanguage(language);
}

/** Load what parts of the overview say that come later, in the present language. */
export function loadOverviewTexts(): Promise<void> {
  wanted.add(OVERVIEW);
  return load(i18next.language as Language);
}

/** Load what the pages beyond the overview say, in the present language. */
export function loadAllTexts(): Promise<void> {
  wanted.add(REST);
  return loadOverviewTexts();
}

/** Load the texts of a language, then show every page in it. */
export async function switchLanguage(language: Language): Promise<void> {
  await load(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  rememberLanguage(language);
}

/** What the component library says in a language that is loaded. */
export function libraryLocale(language: Language): Locale | undefined {
  return libraryLocales.get(language);
}

async function load(language: Language): Promise<void> {
  await Promise.all([...wanted].map((part) => add(language, part[language])));
}

async function add(language: Language, catalogue: Catalogue): Promise<void> {
  if (loaded.has(catalogue)) return;
  const { texts, library } = await catalogue();
  if (library) libraryLocales.set(language, library);
  for (const [path, bundle] of Object.entries(texts)) {
    i18next.addResourceBundle(language, namespaceOf(path), bundle, true, true);
  }
  loaded.add(catalogue);
}

/** `/src/features/jobs/locales/en.json` → namespace `jobs`. */
function namespaceOf(path: string): string {
  return path.split("/").at(-3) ?? path;
}
