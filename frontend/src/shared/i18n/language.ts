/** The two languages of the pages, which one this reader chose, and texts for codes of the server. */
import { useTranslation } from "react-i18next";

export const LANGUAGES = ["en", "zh-CN"] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Record<Language, string> = {
  en: "English",
  "zh-CN": "简体中文", // locale-check: a language is named in itself
};

const STORAGE_KEY = "berth.language";

export function preferredLanguage(): Language {
  return nearestLanguage(localStorage.getItem(STORAGE_KEY) ?? navigator.language);
}

export function rememberLanguage(language: Language): void {
  localStorage.setItem(STORAGE_KEY, language);
}

function nearestLanguage(tag: string): Language {
  return tag.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}

export function useLanguage(): Language {
  const { i18n } = useTranslation();
  return nearestLanguage(i18n.language);
}

/** A thing whose title the server keeps in both languages. */
interface Titled {
  id: string;
  name: string;
  title_en: string;
  title_zh: string;
}

/** Its title. */
export function titleOf(thing: Omit<Titled, "id">, language: Language): string {
  return (language === "zh-CN" ? thing.title_zh : thing.title_en) || thing.name;
}

/** The title of the thing with this id; undefined where it is not among them. */
export function titleIn(
  things: readonly Titled[] | undefined,
  id: string | null | undefined,
  language: Language,
): string | undefined {
  const thing = things?.find((each) => each.id === id);
  return thing && titleOf(thing, language);
}

/** Things to choose from, by id. */
export function titleOptions(things: readonly Titled[] | undefined, language: Language) {
  return things?.map((thing) => ({ value: thing.id, label: titleOf(thing, language) })) ?? [];
}

/** A text whose key holds a code of the server; null where the catalogue lacks the code. */
export type CodedText = (key: string, params?: Record<string, unknown>) => string | null;

/** The one way to texts whose keys the compiler cannot check: `namespace:group.code`. */
export function useCodedText(): CodedText {
  const { t, i18n } = useTranslation();
  const say: (key: string, params: Record<string, unknown>) => string = t as never;
  return (key, params = {}) => (i18n.exists(key, params) ? say(key, params) : null);
}
