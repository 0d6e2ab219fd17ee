/** Texts: one chunk per language, one namespace per `locales` folder, named after its parent. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { type Language, preferredLanguage, rememberLanguage } from "@/shared/i18n/language";

const CATALOGUES = {
  en: async () => (await import("./locales-en")).english,
  "zh-CN": async () => (await import("./locales-zh")).chinese,
} satisfies Record<Language, unknown>;

export async function startTexts(): Promise<void> {
  const language = preferredLanguage();
  await i18next.use(initReactI18next).init({
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

/** Load the texts of a language, then show every page in it. */
export async function switchLanguage(language: Language): Promise<void> {
  const texts = await CATALOGUES[language]();
  for (const [path, bundle] of Object.entries(texts)) {
    i18next.addResourceBundle(language, namespaceOf(path), bundle, true, true);
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  rememberLanguage(language);
}

/** `/src/features/jobs/locales/en.json` → namespace `jobs`. */
function namespaceOf(path: string): string {
  return path.split("/").at(-3) ?? path;
}
