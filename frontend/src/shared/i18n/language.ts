/** What this reader chose, of languages and clocks, and texts for codes of the server. */
import i18next, { type FlatNamespace, type TFunction } from "i18next";
import { useSyncExternalStore } from "react";
import { type Clock, clockStyle, subscribeToClock } from "./clock";

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
  return useSyncExternalStore(watchLanguage, () => i18next.language as Language);
}

function watchLanguage(listener: () => void): () => void {
  i18next.on("languageChanged", listener);
  return () => i18next.off("languageChanged", listener);
}

/** The chosen clock in components. */
export function useClock(): Clock {
  return useSyncExternalStore(subscribeToClock, clockStyle);
}

type Namespaces = FlatNamespace | readonly [FlatNamespace, ...FlatNamespace[]];

/** The texts of these namespaces; keys without one are of the first. Lists call it a thousand times. */
export function useTranslation<const Names extends Namespaces>(names: Names) {
  const language = useLanguage();
  const first: string = typeof names === "string" ? names : names[0];
  return { t: textsOf(language, first) as unknown as TFunction<Names> };
}

const texts = new Map<string, TFunction>();

function textsOf(language: Language, name: string): TFunction {
  const key = `${language} ${name}`;
  const known = texts.get(key);
  if (known) return known;
  const made = i18next.getFixedT(language, name as never) as unknown as TFunction;
  texts.set(key, made);
  return made;
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
  useLanguage();
  const say: (key: string, params: Record<string, unknown>) => string = i18next.t as never;
  return (key, params = {}) => say(key, { ...params, defaultValue: "" }) || null;
}
